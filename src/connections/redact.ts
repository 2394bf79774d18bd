const MASK = '•••';
const MIN_SECRET_LENGTH = 4;

/** Names under which suppliers expect secrets, or signatures that could be replayed. */
const SECRET_NAMES = 'sign|signature|key|api_?key|secret(?:_?key)?|password|(?:access_?)?token|auth|authorization';
const JSON_FIELD = new RegExp(`("(?:${SECRET_NAMES})"\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"`, 'gi');
const FORM_FIELD = new RegExp(`((?:^|[?&])(?:${SECRET_NAMES})=)[^&\\s]*`, 'gi');

/** Makes what is kept of exchanges safe to show: known secrets, and whatever stands where suppliers put them, are masked. */
export function createRedactor(secrets: string[]): (text: string) => string {
  const forms = secrets.flatMap((secret) => [secret, ...passwordOf(secret)]).flatMap(formsOf);
  // The longest first: what is left of a secret whose beginning is another one would still tell half of it.
  const known = [...new Set(forms)]
    .filter((form) => form.length >= MIN_SECRET_LENGTH)
    .sort((one, other) => other.length - one.length);
  return (text) => {
    const unnamed = known.reduce((rest, secret) => rest.replaceAll(secret, MASK), text);
    return unnamed.replace(JSON_FIELD, `$1"${MASK}"`).replace(FORM_FIELD, `$1${MASK}`);
  };
}

/** A secret as it is written: plainly, in an address, in a form, and in JSON. */
function formsOf(secret: string): string[] {
  const inForm = new URLSearchParams({ secret }).toString().slice('secret='.length);
  return [secret, encodeURIComponent(secret.toWellFormed()), inForm, JSON.stringify(secret).slice(1, -1)];
}

/** Of an address with a password, as that of a proxy is, also the password alone, and the pair as it is sent. */
function passwordOf(secret: string): string[] {
  const address = URL.parse(secret);
  if (!address?.password) return [];
  const [user, password] = [address.username, address.password].map(decode);
  return [address.password, password ?? '', Buffer.from(`${user}:${password}`).toString('base64')];
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
