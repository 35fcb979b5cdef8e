import pytest

from tools.desk.analytics import report_churn, report_revenue, report_usage, run_query
from tools.desk.books import reading, row
from tools.errors import ToolError
from tools.spec import ToolContext


def test_revenue_sums_invoices_refunds_and_payments(context: ToolContext) -> None:
    found = report_revenue(context, month="2026-05")

    assert (found["invoices"], found["invoiced"]) == (5, 11120.0)
    assert (found["refunded"], found["net"]) == (310.0, 10810.0)
    assert found["groups"] == []


@pytest.mark.parametrize("month", ["2026-01", "2026-04", "2026-06"])
@pytest.mark.parametrize("group", ["customer", "product"])
def test_revenue_groups_add_up_to_the_total(context: ToolContext, month: str, group: str) -> None:
    found = report_revenue(context, month=month, group_by=group)  # type: ignore[arg-type]  # parametrized

    assert found["groups"]
    assert sum(one["invoiced"] for one in found["groups"]) == found["invoiced"]


def test_void_invoices_are_no_revenue(context: ToolContext) -> None:
    names = report_revenue(context, month="2026-04", group_by="customer")["groups"]

    assert "Pixelschmiede GmbH" not in [one["name"] for one in names]


def test_usage_of_all_customers_is_ranked_and_of_one_is_its_own(context: ToolContext) -> None:
    every = report_usage(context, month="2026-05")
    one = report_usage(context, month="2026-05", customer="kestrel")

    counts = [row["events"] for row in every["customers"]]
    assert counts == sorted(counts, reverse=True)
    assert every["events"] == sum(counts)
    assert [row["customer"] for row in one["customers"]] == ["Kestrel Freight AS"]
    assert one["customers"][0] in every["customers"]


def test_usage_of_a_customer_who_had_left_is_not_found(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="no usage in 2026-05") as caught:
        report_usage(context, month="2026-05", customer="Quarry Lane")

    assert "churned on 2026-03-31" in caught.value.hint


def test_churn_names_who_left_and_the_share(context: ToolContext) -> None:
    found = report_churn(context, month="2026-05")

    assert (found["customers_at_start"], found["churned"]) == (23, 1)
    assert (found["churn_percent"], found["monthly_revenue_lost"]) == (4.35, 120.0)
    assert found["customers"][0]["reason"] == "price"
    assert report_churn(context, month="2026-02")["customers"] == []


@pytest.mark.parametrize("month", ["2025-12", "2026-07"])
def test_months_outside_the_books_are_not_found(context: ToolContext, month: str) -> None:
    for report in (report_revenue, report_usage, report_churn):
        with pytest.raises(ToolError, match="from 2026-01 to 2026-06") as caught:
            report(context, month=month)
        assert caught.value.kind == "not_found"


def test_an_index_hint_gives_the_same_figures(context: ToolContext) -> None:
    hinted = report_usage(context, month="2026-05", index_hint="usage_by_day")

    assert hinted == report_usage(context, month="2026-05")
    assert report_revenue(
        context, month="2026-05", index_hint="invoices_by_issue"
    ) == report_revenue(context, month="2026-05")


def test_an_index_of_another_table_is_refused_with_the_right_ones(context: ToolContext) -> None:
    with pytest.raises(ToolError, match="wanted an index of usage_daily") as caught:
        report_usage(context, month="2026-05", index_hint="invoices_by_issue")

    assert "usage_by_customer, usage_by_day" in caught.value.hint


def test_a_query_returns_rows_and_the_sql_that_ran(context: ToolContext) -> None:
    found = run_query(
        context, sql="select status, count(*) n from orders group by status order by 1; -- all"
    )

    assert found["columns"] == ["status", "n"]
    assert found["rows"][0] == ["cancelled", 3]
    assert found["sql"].startswith("SELECT status")
    assert (found["row_count"], found["more_rows"]) == (5, False)


def test_a_query_is_cut_at_its_limit_and_says_so(context: ToolContext) -> None:
    found = run_query(context, sql="SELECT day, events FROM usage_daily", limit=3)

    assert (found["row_count"], found["more_rows"]) == (3, True)


def test_a_query_hint_is_written_into_the_query(context: ToolContext) -> None:
    sql = "SELECT count(*) FROM usage_daily WHERE day = '2026-05-11'"
    plain = run_query(context, sql=sql)
    hinted = run_query(context, sql=sql, index_hint="usage_by_day")

    assert "INDEXED BY usage_by_day" in hinted["sql"]
    assert hinted["rows"] == plain["rows"]
    with reading(context) as books:
        assert "usage_by_day" in row(books, f"EXPLAIN QUERY PLAN {hinted['sql']}")["detail"]


@pytest.mark.parametrize(
    ("sql", "hint", "message"),
    [
        ("SELECT count(*) FROM usage_daily", "no_such_index", "no index"),
        ("SELECT count(*) FROM orders", "usage_by_day", "does not read usage_daily"),
    ],
)
def test_a_query_hint_that_does_not_fit_is_refused(
    context: ToolContext, sql: str, hint: str, message: str
) -> None:
    with pytest.raises(ToolError, match=message):
        run_query(context, sql=sql, index_hint=hint)


def test_long_cells_are_cut_and_say_so(context: ToolContext) -> None:
    cell = run_query(context, sql="SELECT group_concat(day) FROM usage_daily")["rows"][0][0]

    assert len(cell) < 350
    assert cell.endswith(" characters)")
