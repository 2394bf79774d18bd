-- What was done to one order, supplier or service is read by its name, newest first.
create index audit_log_by_subject on audit_log (subject, id);
