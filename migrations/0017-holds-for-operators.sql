-- Some faults of our account at a supplier leave its answer about our balance as it is, such as a login that ended at the provider
-- behind it. Until now the next good reading ended such a hold. It now waits for an operator.
alter table suppliers drop constraint suppliers_hold_kind_check;
alter table suppliers
  add constraint suppliers_hold_kind_check check (hold_kind in ('misconfigured', 'needs_operator', 'low_balance'));
