/** What a failed statement means, by SQLSTATE and constraint name and never by the text of the message. */
interface DatabaseErrorFields {
  code?: unknown;
  constraint?: unknown;
}

const UNIQUE_VIOLATION = '23505';
const FOREIGN_KEY_VIOLATION = '23503';
const SERIALIZATION_FAILURE = '40001';
const DEADLOCK_DETECTED = '40P01';
const QUERY_CANCELED = '57014';

/** True when the statement failed because `constraint` keeps its values unique. */
export function isUniqueViolation(error: unknown, constraint: string): boolean {
  return matches(error, UNIQUE_VIOLATION, constraint);
}

/** True when the statement failed because the row that `constraint` refers to does not exist. */
export function isForeignKeyViolation(error: unknown, constraint: string): boolean {
  return matches(error, FOREIGN_KEY_VIOLATION, constraint);
}

/** True when the database gave up on the transaction only because of others, so running it again is the cure. */
export function isTransientConflict(error: unknown): boolean {
  const { code } = fieldsOf(error);
  return code === SERIALIZATION_FAILURE || code === DEADLOCK_DETECTED;
}

/** True when the statement took longer than it may. */
export function isTimeout(error: unknown): boolean {
  return fieldsOf(error).code === QUERY_CANCELED;
}

function matches(error: unknown, code: string, constraint: string): boolean {
  const fields = fieldsOf(error);
  return fields.code === code && fields.constraint === constraint;
}

function fieldsOf(error: unknown): DatabaseErrorFields {
  return typeof error === 'object' && error !== null ? error : {};
}
