"""How people say what tables call by a short name: a price is what it costs, an order is placed.

Keys are words of column and table names as they are common in business tables; a name that is not
here is said as it is written.
"""

import re
from collections.abc import Mapping
from typing import Final

COLUMNS: Final[Mapping[str, str]] = {
    "id": r"ids?|identifiers?|numbers(?! of\b)|(?<=order )numbers|(?<=invoice )numbers",
    "sku": r"skus?|article (?:numbers?|codes?)|product codes?",
    "name": r"names?",
    "contact": (
        r"contact (?:persons?|names?|people)|contacts?"
        r"|who (?:do|can|should|could) (?:i|we) (?:write|talk|speak|turn)(?: to)?"
    ),
    "email": r"(?:e-?)?mails?(?: address(?:es)?| ids?)?",
    "postal": r"(?:post(?:al)? ?|zip )codes?|zips?",
    "city": r"city|cities|towns?",
    "country": r"country|countries",
    "plan": r"(?:subscription )?(?:plans?|tiers?)",
    "kind": r"(?:product )?(?:kinds?|types?|category|categories)",
    "status": r"(?:order |invoice |customer )?(?:status(?:es)?|states?)",
    "seats": r"seat count|seats?",
    "monthly": (
        r"monthly recurring revenue|monthly (?:fees?|prices?|charges?|amounts?|payments?"
        r"|rates?|revenue|value|sums?|bills?)"
        r"|(?:subscription|recurring) (?:fees?|prices?|revenue)|mrr"
        r"|(?:pay|pays|paying)(?: us)?(?: (?:per|a|every|each) month| monthly)"
    ),
    "price": r"(?:list |unit )?prices?|price (?:list|tag)s?|costs?|what it costs|cost us"
    r"|going rates?|(?<=we )(?:charge|ask|take)(?= for)|(?:going|sold|sell|go|goes) for",
    "unit": r"unit prices?",
    "amount": r"amounts?|balances?|values?|worth|sizes?",
    "quantity": r"quantity|quantities|units?|pieces?",
    "method": r"(?:payment )?methods?|(?:means|ways?) of payment",
    "carrier": r"carriers?|couriers?|shipping company|shipping companies",
    "tracking": r"tracking(?: (?:numbers?|codes?|ids?))?",
    "address": r"(?:delivery |shipping )?address(?:es)?",
    "reason": r"reasons?|why",
    "day": r"day[ -](?:by|to)[ -]day|days?|daily",
    "calls": r"(?:api )?(?:calls?|requests?)",
    "users": r"(?:active )?users?",
    "events": r"events?",
    "since": (
        r"how long \w+(?:['\u2019]ve| have|['\u2019]s| has)? been (?:with us|(?:a )?customers?)"
        r"|join(?:ed)?|sign(?:ed)? up|signed(?: with us)?|since when|customers? since"
        r"|sign-?up dates?|start dates?"
        r"|(?:(?<=customers )|(?<=clients )|(?<=companies )|(?<=accounts )|(?<=who ))"
        r"came(?: to us)?"
        r"|bec(?:a|o)me (?:a )?(?:customers?|clients?)|came on ?board|new|joining dates?"
    ),
    "placed": (
        r"placed|ordered|order dates?|bought|purchased|sold|(?<=did we )sell|came"
        r" in|received"
    ),
    "shipped": (
        r"shipped|leaving us|(?<=we )ship|dispatched|sent(?: out)?|went out|gone out"
        r"|ship(?:ping|ment)? dates?"
    ),
    "delivered": r"delivered|arrived|delivery dates?|reached",
    "cancelled": r"cancell?ed|called off|cancellation dates?",
    "issued": r"issued|(?<=we )issue|invoiced|billed|(?:issue|invoice) dates?|raised|written",
    "due": r"(?:falls?|fell|falling|come|coming|came|be|become) due|due(?: dates?)?",
    "paid": r"paid|pay|payment dates?|received?|collected|came in|reached us|arrived",
    "refunded": (
        r"refunded|refund dates?|(?:paid|handed|sent|given) back|reimbursed|issued|(?<=we )(?:issue"
        r"|make|grant)|granted|made|returned"
    ),
    "voided": r"voided|annulled",
    "churned": r"churned|left(?: us)?|leave|leaving|gone|quit|cancelled their subscription",
}
TABLES: Final[Mapping[str, str]] = {
    "customer": r"customers?|clients?|accounts?|firms?|company|companies|client base|customer base",
    "invoice": r"invoices?|bills?",
    "order": r"orders?|purchases?|parcels?|shipments?",
    "refund": r"refunds?|reimbursements?",
    "product": r"products?|articles?|items?",
    "payment": r"payments?|incoming (?:money|cash|funds)|money (?:coming|that comes) in",
    "line": r"lines|line items?|positions?",
}
# A state said otherwise; which state it is, depends on the table that has it.
VALUES: Final[Mapping[str, str]] = {
    "open": r"open|unpaid|outstanding|unsettled",
    "paid": r"paid|settled",
    "void": r"void(?:ed)?|annulled",
    "cancelled": r"cancell?ed|called off",
    "delivered": r"delivered",
    "shipped": r"shipped|in transit|on the (?:way|road)|under ?way",
    "processing": r"processing|being processed|in process",
    "churned": r"churned|former|lost|ex-?|left us",
    "trial": r"(?:on )?(?:a )?(?:free )?trials?|trialling|trying us out",
    "transfer": r"(?:bank |wire )?transfers?",
    "card": r"(?:credit |debit )?cards?",
    "direct debit": r"(?:direct[ -])?debits?",
    "licence": r"licen[cs]es?",
}


def said_for(name: str) -> str:
    """The pattern for what a name of a column says; its own words where nothing else is known.

    Args:
        name: such as `price_cents`, `api_calls`, `shipped_on`.
    """
    if name.endswith("_id"):
        return re.escape(name)
    parts = re.sub(r"_(?:cents|on|at)$", "", name).split("_")
    own = rf"{'[ _-]'.join(map(re.escape, parts))}(?:s|es)?"
    known = [COLUMNS[part] for part in parts if part in COLUMNS][-1:]
    written = [re.escape(name)] if "_" in name else []
    return "|".join([*written, *([own] if len(parts) > 1 or not known else []), *known])


def table_said(name: str) -> str:
    """The pattern for what the rows of a table are called."""
    parts = name.split("_")
    own = rf"{'[ _-]'.join(map(re.escape, parts))}"
    singular = parts[-1].removesuffix("s")
    if len(parts) == 1:
        return "|".join([own, TABLES.get(singular, rf"{re.escape(singular)}(?:s|es)?")])
    first = " ".join(parts[:-1])
    last = TABLES.get(singular)
    return "|".join([own, *([rf"{re.escape(first)} (?:{last})", last] if last else [])])
