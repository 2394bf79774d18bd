-- What a no is worth depends on whether an earlier request that could buy was never answered and may still arrive. Until now
-- that was reckoned from when the attempt was made; a repeated request that was lost later on was younger than that.
alter table attempts
  add column under_way_at timestamptz,
  add column unanswered_at timestamptz,
  -- A delivery in part is an operator's decision for good, whatever the supplier answers afterwards.
  add column is_partial boolean not null default false;

update attempts set unanswered_at = created_at where state not in ('Rejected', 'Reversed', 'Delivered');

-- Whoever's order an operator has ended may buy the same item again: nothing is known to be under way for him any more.
update attempts set limited_target = null
from orders
where orders.account_id = attempts.account_id and orders.id = attempts.order_id
  and attempts.limited_target is not null
  and attempts.state not in ('Rejected', 'Reversed', 'Delivered')
  and orders.state <> 'Process';
