-- What of a statement was compared: an amount that could not be read passed for one that agrees.

-- The headers that were recognised, by what they were taken for, and whether amounts were compared. Null: before this was kept.
alter table supplier_statements add column columns jsonb not null default '{}';
alter table supplier_statements add column amounts text
  constraint supplier_statements_amounts check (amounts in ('compared', 'no_column', 'no_exchange_rate'));
-- Null: amounts were not compared.
alter table supplier_statements alter column total_theirs drop not null;

-- As it stands in the file, also where it is no amount.
alter table supplier_statement_lines add column their_amount_text text;
