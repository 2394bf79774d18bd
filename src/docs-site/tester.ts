import { escapeHtml } from './html.ts';
import type { Language } from './pages.ts';
import { TESTER_WORDS } from './tester-words.ts';

/** Stands in the Markdown where the tester belongs. */
export const TESTER_MARK = '<!-- signature-tester -->';

/** The first published vector, so that a first look shows a result. */
const EXAMPLE = {
  secret: 'tgs_example_4f1c2a9b7d',
  request: `{
  "service_code": "MLBB-85",
  "ref_id": "INV-1001",
  "account_identifier": { "user_id": "12345678", "zone": "2001" },
  "signature": "9bdd2e8839d47518a28c17b433e84f3421708bf69b4b9270fe90d919fe3fbf97"
}`,
};

/** The tester's form and the empty places of its result. All sentences are here, so that the script needs none. */
export function testerHtml(language: Language): string {
  const words = TESTER_WORDS[language];
  const sentences = { ...words.verdicts, ...words.codes, place: words.place, ends: words.ends };
  const templates = Object.entries(sentences).map(([code, text]) => `<span data-sentence="${code}">${escapeHtml(text)}</span>`);
  const plain = 'spellcheck="false" autocomplete="off" autocapitalize="off"';
  return `<section class="tester" aria-label="${escapeHtml(words.title)}" data-tester>
<p class="tester-note">${escapeHtml(words.private)}</p>
<form class="tester-form">
<label class="wide"><span>${escapeHtml(words.request)}</span>
<textarea name="request" rows="7" ${plain}>${escapeHtml(EXAMPLE.request)}</textarea></label>
<label class="wide"><span>${escapeHtml(words.secret)}</span>
<input name="secret" type="text" ${plain} value="${EXAMPLE.secret}"></label>
<label><span>${escapeHtml(words.ownString)}</span>
<textarea name="ownString" rows="5" ${plain} aria-describedby="tester-string-hint"></textarea>
<small id="tester-string-hint">${escapeHtml(words.ownStringHint)}</small></label>
<label><span>${escapeHtml(words.ownSignature)}</span>
<textarea name="ownSignature" rows="5" ${plain} aria-describedby="tester-signature-hint"></textarea>
<small id="tester-signature-hint">${escapeHtml(words.ownSignatureHint)}</small></label>
</form>
<div class="tester-result" role="status" aria-label="${escapeHtml(words.result)}">
<p class="verdict" data-part="verdict"></p>
<div data-part="findings" hidden><h4>${escapeHtml(words.findings)}</h4><ul></ul></div>
<div data-part="string" hidden><h4>${escapeHtml(words.stringToSign)}</h4><ol class="signed-lines"></ol></div>
<div data-part="difference" hidden><h4>${escapeHtml(words.difference)}: <span data-part="place"></span></h4>
<dl class="compared"><dt>${escapeHtml(words.expectedLine)}</dt><dd data-part="expectedLine"></dd><dt>${escapeHtml(words.ownLine)}</dt><dd data-part="ownLine"></dd></dl></div>
<div data-part="expected" hidden><h4>${escapeHtml(words.expected)}</h4><code class="digest"></code></div>
<div data-part="received" hidden><h4>${escapeHtml(words.received)}</h4><code class="digest"></code></div>
</div>
<div hidden>${templates.join('')}</div>
</section>
<link rel="stylesheet" href="/docs/assets/tester.css">
<script type="module" src="/docs/assets/signature-tester.js"></script>
`;
}
