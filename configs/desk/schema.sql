-- Tables of the sample company. Amounts are integer euro cents; dates are ISO 8601 text.

CREATE TABLE books (
    company TEXT NOT NULL,
    currency TEXT NOT NULL,
    opened_on TEXT NOT NULL,
    as_of TEXT NOT NULL
);

CREATE TABLE customers (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL UNIQUE,
    contact TEXT NOT NULL,
    email TEXT NOT NULL,
    street TEXT NOT NULL,
    postal_code TEXT NOT NULL,
    city TEXT NOT NULL,
    country TEXT NOT NULL,
    plan TEXT NOT NULL CHECK (plan IN ('team', 'business', 'enterprise')),
    seats INTEGER NOT NULL CHECK (seats > 0),
    monthly_cents INTEGER NOT NULL CHECK (monthly_cents >= 0),
    customer_since TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('active', 'trial', 'churned')),
    churned_on TEXT,
    churn_reason TEXT
);

CREATE TABLE products (
    sku TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('licence', 'hardware', 'service')),
    price_cents INTEGER NOT NULL CHECK (price_cents > 0)
);

CREATE TABLE orders (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers (id),
    placed_on TEXT NOT NULL,
    status TEXT NOT NULL
        CHECK (status IN ('processing', 'packed', 'shipped', 'delivered', 'cancelled')),
    address TEXT NOT NULL,
    carrier TEXT,
    tracking TEXT,
    shipped_on TEXT,
    delivered_on TEXT,
    cancelled_on TEXT,
    cancel_reason TEXT
);

CREATE TABLE order_lines (
    order_id TEXT NOT NULL REFERENCES orders (id),
    sku TEXT NOT NULL REFERENCES products (sku),
    quantity INTEGER NOT NULL CHECK (quantity > 0),
    unit_cents INTEGER NOT NULL CHECK (unit_cents >= 0),
    PRIMARY KEY (order_id, sku)
);

CREATE TABLE invoices (
    id TEXT PRIMARY KEY,
    customer_id TEXT NOT NULL REFERENCES customers (id),
    order_id TEXT REFERENCES orders (id),
    issued_on TEXT NOT NULL,
    due_on TEXT NOT NULL,
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
    status TEXT NOT NULL CHECK (status IN ('open', 'paid', 'void')),
    description TEXT NOT NULL,
    voided_on TEXT,
    void_reason TEXT
);

CREATE TABLE payments (
    id TEXT PRIMARY KEY,
    invoice_id TEXT NOT NULL REFERENCES invoices (id),
    paid_on TEXT NOT NULL,
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
    method TEXT NOT NULL CHECK (method IN ('transfer', 'card', 'direct debit'))
);

CREATE TABLE refunds (
    id TEXT PRIMARY KEY,
    invoice_id TEXT NOT NULL REFERENCES invoices (id),
    amount_cents INTEGER NOT NULL CHECK (amount_cents > 0),
    reason TEXT NOT NULL,
    refunded_on TEXT NOT NULL
);

CREATE TABLE usage_daily (
    customer_id TEXT NOT NULL REFERENCES customers (id),
    day TEXT NOT NULL,
    events INTEGER NOT NULL,
    active_users INTEGER NOT NULL,
    api_calls INTEGER NOT NULL
);

-- What the tools changed: one row per idempotency key, written with the change itself.
CREATE TABLE actions (
    idempotency_key TEXT PRIMARY KEY,
    tool TEXT NOT NULL,
    arguments TEXT NOT NULL,
    result TEXT NOT NULL,
    requested_by TEXT NOT NULL,
    recorded_at TEXT NOT NULL
);

CREATE INDEX invoices_by_customer ON invoices (customer_id);
CREATE INDEX invoices_by_issue ON invoices (issued_on);
CREATE INDEX orders_by_customer ON orders (customer_id);
CREATE INDEX payments_by_invoice ON payments (invoice_id);
CREATE INDEX refunds_by_invoice ON refunds (invoice_id);
CREATE INDEX usage_by_customer ON usage_daily (customer_id, day);
CREATE INDEX usage_by_day ON usage_daily (day);
