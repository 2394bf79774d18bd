const MASK = '•••';
const MIN_SECRET_LENGTH = 4;

/** Names under which suppliers expect secrets, or signatures that could be replayed. */
const SECRET_NAMES = 'sign|signature|key|api_?key|secret(?:_?key)?|password|(?:access_?)?token|auth|authorization';
const JSON_FIELD = new RegExp(`("(?:${SECRET_NAMES})"\\s*:\\s*)"[^"]*"`, 'gi');
const FORM_FIELD = new RegExp(`((?:^|[?&])(?:${SECRET_NAMES})=)[^&\\s]*`, 'gi');

/** Makes what is kept of exchanges safe to show: known secrets, and whatever stands where suppliers put them, are masked. */
export function createRedactor(secrets: string[]): (text: string) => string {
  const known = secrets
    .filter((secret) => secret.length >= MIN_SECRET_LENGTH)
    .flatMap((secret) => [secret, encodeURIComponent(secret)]);
  return (text) => {
    const unnamed = known.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
    return unnamed.replace(JSON_FIELD, `$1"${MASK}"`).replace(FORM_FIELD, `$1${MASK}`);
  };
}
