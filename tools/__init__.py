"""What experts can do: tool specs, the executor, the effects ledger, approvals and leases."""
