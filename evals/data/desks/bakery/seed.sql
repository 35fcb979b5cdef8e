-- Quarter Past Four, wholesale bakery: cafés, products, orders, invoices. Today is 2026-07-07.
CREATE TABLE customers (id TEXT PRIMARY KEY, name TEXT NOT NULL, run TEXT NOT NULL, contact TEXT NOT NULL);
INSERT INTO customers VALUES
 ('K-21', 'Harbour',       'early', 'Signe Dahl'),
 ('K-22', 'Sunday',        'early', 'Marek Zeman'),
 ('K-23', 'Café Linde',    'early', 'Ute Brandt'),
 ('K-24', 'Blue Door',     'noon',  'Kofi Mensah'),
 ('K-25', 'Otto''s',       'noon',  'Otto Kranz'),
 ('K-26', 'Mill & Moss',   'early', 'Freya Lund'),
 ('K-27', 'Kiosk Nord',    'early', 'Ali Demir'),
 ('K-28', 'Kiosk Park',    'noon',  'Rosa Pinto'),
 ('K-29', 'Teapot',        'late',  'Winifred Hale'),
 ('K-30', 'Hotel Marlow',  'early', 'Clive Abbott'),
 ('K-31', 'Common Ground', 'late',  'Yuki Mori'),
 ('K-32', 'Grandma Jo',    'noon',  'Joanna Reis'),
 ('K-33', 'Paper Moon',    'late',  'Elio Conti');

CREATE TABLE products (name TEXT PRIMARY KEY, category TEXT NOT NULL, price REAL NOT NULL);
INSERT INTO products VALUES
 ('sourdough loaf',   'bread',  3.40),
 ('rye loaf',         'bread',  3.10),
 ('baguette',         'bread',  1.60),
 ('focaccia',         'bread',  5.50),
 ('seeded roll',      'rolls',  0.55),
 ('pretzel',          'rolls',  0.80),
 ('croissant',        'pastry', 1.10),
 ('almond croissant', 'pastry', 1.75),
 ('cinnamon bun',     'pastry', 1.45),
 ('cheesecake',       'cake',  21.00),
 ('carrot cake',      'cake',  19.50);

CREATE TABLE orders (
  id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers(id), delivery_date TEXT NOT NULL,
  state TEXT NOT NULL, weekly INTEGER NOT NULL, latest_time TEXT);
INSERT INTO orders VALUES
 ('O-7701', 'K-21', '2026-06-29', 'delivered', 1, '06:30'),
 ('O-7702', 'K-22', '2026-06-30', 'delivered', 1, NULL),
 ('O-7703', 'K-30', '2026-07-01', 'delivered', 1, '05:45'),
 ('O-7704', 'K-24', '2026-07-01', 'cancelled', 0, NULL),
 ('O-7705', 'K-26', '2026-07-02', 'delivered', 1, NULL),
 ('O-7706', 'K-31', '2026-07-02', 'delivered', 0, NULL),
 ('O-7707', 'K-23', '2026-07-03', 'delivered', 1, '07:00'),
 ('O-7708', 'K-29', '2026-07-03', 'delivered', 1, NULL),
 ('O-7709', 'K-25', '2026-07-03', 'cancelled', 0, NULL),
 ('O-7710', 'K-21', '2026-07-04', 'delivered', 0, '06:30'),
 ('O-7711', 'K-33', '2026-07-04', 'delivered', 0, NULL),
 ('O-7712', 'K-30', '2026-07-06', 'delivered', 1, '05:45'),
 ('O-7713', 'K-27', '2026-07-06', 'delivered', 1, NULL),
 ('O-7714', 'K-22', '2026-07-06', 'delivered', 1, NULL),
 ('O-7715', 'K-21', '2026-07-07', 'delivered', 0, '06:30'),
 ('O-7716', 'K-23', '2026-07-07', 'delivered', 0, '07:00'),
 ('O-7717', 'K-24', '2026-07-07', 'out',       0, NULL),
 ('O-7718', 'K-28', '2026-07-07', 'out',       1, '12:30'),
 ('O-7719', 'K-29', '2026-07-07', 'baked',     0, NULL),
 ('O-7720', 'K-31', '2026-07-07', 'baked',     0, '16:00'),
 ('O-7721', 'K-21', '2026-07-08', 'planned',   1, '06:30'),
 ('O-7722', 'K-22', '2026-07-08', 'planned',   1, NULL),
 ('O-7723', 'K-30', '2026-07-08', 'planned',   1, '05:45'),
 ('O-7724', 'K-24', '2026-07-09', 'planned',   0, NULL),
 ('O-7725', 'K-26', '2026-07-09', 'planned',   1, NULL),
 ('O-7726', 'K-31', '2026-07-09', 'planned',   0, NULL),
 ('O-7727', 'K-23', '2026-07-10', 'planned',   1, '07:00'),
 ('O-7728', 'K-25', '2026-07-10', 'planned',   0, NULL),
 ('O-7729', 'K-29', '2026-07-10', 'planned',   1, NULL),
 ('O-7730', 'K-33', '2026-07-11', 'planned',   0, NULL),
 ('O-7731', 'K-21', '2026-07-11', 'planned',   0, '06:30'),
 ('O-7732', 'K-32', '2026-07-11', 'planned',   0, NULL),
 ('O-7733', 'K-27', '2026-07-13', 'planned',   1, NULL),
 ('O-7734', 'K-30', '2026-07-13', 'planned',   1, '05:45'),
 ('O-7735', 'K-22', '2026-07-13', 'cancelled', 1, NULL),
 ('O-7736', 'K-28', '2026-07-14', 'planned',   1, '12:30'),
 ('O-7737', 'K-24', '2026-07-15', 'planned',   0, NULL),
 ('O-7738', 'K-31', '2026-07-16', 'planned',   0, NULL),
 ('O-7739', 'K-29', '2026-07-17', 'planned',   1, NULL),
 ('O-7740', 'K-26', '2026-07-18', 'planned',   0, NULL);

CREATE TABLE lines (order_id TEXT NOT NULL REFERENCES orders(id), product TEXT NOT NULL REFERENCES products(name), quantity INTEGER NOT NULL);
INSERT INTO lines VALUES
 ('O-7701', 'croissant', 40), ('O-7701', 'baguette', 12), ('O-7702', 'cinnamon bun', 24),
 ('O-7703', 'seeded roll', 120), ('O-7703', 'croissant', 60), ('O-7704', 'carrot cake', 3),
 ('O-7705', 'rye loaf', 10), ('O-7705', 'focaccia', 8), ('O-7706', 'pretzel', 30),
 ('O-7707', 'croissant', 30), ('O-7707', 'cheesecake', 2), ('O-7708', 'carrot cake', 4),
 ('O-7709', 'baguette', 20), ('O-7710', 'croissant', 50), ('O-7711', 'almond croissant', 18),
 ('O-7712', 'seeded roll', 120), ('O-7712', 'croissant', 60), ('O-7713', 'pretzel', 40),
 ('O-7714', 'cinnamon bun', 30), ('O-7715', 'croissant', 40), ('O-7715', 'baguette', 12),
 ('O-7716', 'rye loaf', 6), ('O-7717', 'focaccia', 10), ('O-7718', 'pretzel', 25),
 ('O-7719', 'carrot cake', 4), ('O-7720', 'sourdough loaf', 14), ('O-7721', 'croissant', 40),
 ('O-7722', 'cinnamon bun', 24), ('O-7723', 'seeded roll', 120), ('O-7723', 'croissant', 60),
 ('O-7724', 'carrot cake', 3), ('O-7725', 'rye loaf', 10), ('O-7726', 'pretzel', 30),
 ('O-7727', 'croissant', 30), ('O-7727', 'cheesecake', 2), ('O-7728', 'baguette', 20),
 ('O-7729', 'carrot cake', 4), ('O-7730', 'almond croissant', 18), ('O-7731', 'croissant', 50),
 ('O-7732', 'cheesecake', 5), ('O-7733', 'pretzel', 40), ('O-7734', 'seeded roll', 120),
 ('O-7735', 'cinnamon bun', 30), ('O-7736', 'pretzel', 25), ('O-7737', 'focaccia', 10),
 ('O-7738', 'sourdough loaf', 14), ('O-7739', 'carrot cake', 4), ('O-7740', 'rye loaf', 10);

CREATE TABLE complaints (order_id TEXT NOT NULL REFERENCES orders(id), day TEXT NOT NULL, text TEXT NOT NULL);
INSERT INTO complaints VALUES
 ('O-7705', '2026-07-02', 'focaccia missing'),
 ('O-7711', '2026-07-04', 'box crushed, some almond croissants squashed'),
 ('O-7714', '2026-07-06', 'van came 50 minutes late'),
 ('O-7708', '2026-07-04', 'nobody saw the cakes arrive');

CREATE TABLE invoices (id TEXT PRIMARY KEY, customer_id TEXT NOT NULL REFERENCES customers(id), amount REAL NOT NULL, due TEXT NOT NULL, paid INTEGER NOT NULL);
INSERT INTO invoices VALUES
 ('R-901', 'K-21', 612.40, '2026-06-30', 1),
 ('R-902', 'K-22', 318.75, '2026-06-15', 0),
 ('R-903', 'K-23', 274.20, '2026-07-14', 0),
 ('R-904', 'K-24', 195.00, '2026-05-29', 0),
 ('R-905', 'K-25', 96.00,  '2026-06-26', 0),
 ('R-906', 'K-26', 448.10, '2026-07-14', 0),
 ('R-907', 'K-27', 160.00, '2026-06-01', 0),
 ('R-908', 'K-29', 390.00, '2026-06-30', 1),
 ('R-909', 'K-30', 1842.60, '2026-06-19', 0),
 ('R-910', 'K-30', 905.30, '2026-07-19', 0),
 ('R-911', 'K-31', 229.60, '2026-07-03', 0),
 ('R-912', 'K-33', 126.00, '2026-07-14', 0),
 ('R-913', 'K-21', 540.80, '2026-07-14', 0);

CREATE TABLE usual (customer_id TEXT NOT NULL, product TEXT NOT NULL, quantity INTEGER NOT NULL);   -- in an average month
INSERT INTO usual VALUES
 ('K-21', 'croissant', 400), ('K-21', 'baguette', 110), ('K-22', 'cinnamon bun', 220), ('K-23', 'croissant', 130),
 ('K-23', 'cheesecake', 8), ('K-23', 'rye loaf', 30), ('K-24', 'focaccia', 42), ('K-24', 'carrot cake', 11),
 ('K-25', 'baguette', 85), ('K-26', 'rye loaf', 44), ('K-26', 'focaccia', 34), ('K-27', 'pretzel', 165),
 ('K-28', 'pretzel', 105), ('K-29', 'carrot cake', 18), ('K-30', 'seeded roll', 1250), ('K-30', 'croissant', 520),
 ('K-31', 'pretzel', 90), ('K-31', 'sourdough loaf', 58), ('K-32', 'cheesecake', 14), ('K-33', 'almond croissant', 76);
CREATE TABLE months (month TEXT PRIMARY KEY, factor REAL NOT NULL);
INSERT INTO months VALUES ('2026-01', 0.8), ('2026-02', 0.85), ('2026-03', 0.95), ('2026-04', 1.05), ('2026-05', 1.1), ('2026-06', 1.2), ('2026-07', 0.2);
CREATE VIEW sales AS
  SELECT m.month, c.name AS customer, p.name AS product, p.category, CAST(round(u.quantity * m.factor) AS INTEGER) AS quantity,
         round(round(u.quantity * m.factor) * p.price, 2) AS amount
  FROM usual u JOIN customers c ON c.id = u.customer_id JOIN products p ON p.name = u.product CROSS JOIN months m;
