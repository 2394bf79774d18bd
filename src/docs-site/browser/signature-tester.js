/** Shows in the page what `signature-check.js` finds out, after each change of the form. */
import { examine } from './signature-check.js';

for (const tester of document.querySelectorAll('[data-tester]')) start(tester);

function start(tester) {
  const form = tester.querySelector('form');
  let asked = 0;
  const update = async () => {
    asked += 1;
    const mine = asked;
    const result = await examine(Object.fromEntries(new FormData(form)));
    // An answer that was overtaken by the next keystroke is not shown.
    if (mine === asked) show(tester, result);
  };
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('input', () => void update());
  void update();
}

function show(tester, result) {
  const part = (name) => tester.querySelector(`[data-part="${name}"]`);
  const sentence = (code, values = {}) =>
    Object.entries(values).reduce(
      (text, [name, value]) => text.replaceAll(`{${name}}`, value),
      tester.querySelector(`[data-sentence="${code}"]`).textContent,
    );

  part('verdict').textContent = sentence(result.verdict);
  part('verdict').dataset.verdict = result.verdict;

  part('findings').hidden = result.findings.length === 0;
  part('findings')
    .querySelector('ul')
    .replaceChildren(
      ...result.findings.map(({ code, field = '' }) =>
        element('li', { text: sentence(code, { field }), data: { finding: code } }),
      ),
    );

  part('string').hidden = result.lines.length === 0;
  part('string')
    .querySelector('ol')
    .replaceChildren(...result.lines.map((line, index) => signedLine(line, index < result.lines.length - 1)));

  showDifference(part, sentence, result.difference);
  for (const name of ['expected', 'received']) {
    part(name).hidden = result[name] === null || (name === 'received' && result.verdict === 'matches');
    part(name).querySelector('code').textContent = result[name] ?? '';
  }
}

function showDifference(part, sentence, difference) {
  part('difference').hidden = difference === null;
  if (difference === null) return;
  const { line, column } = difference;
  part('place').textContent = sentence('place', { line: String(line), column: String(column) });
  const ends = sentence('ends');
  part('expectedLine').replaceChildren(...markedLine(difference.expectedLine, column, difference.expected, ends));
  part('ownLine').replaceChildren(...markedLine(difference.actualLine, column, difference.actual, ends));
}

/** The line up to the place, the character there made visible, and the rest. */
function markedLine(line, column, character, ends) {
  const characters = [...line];
  const shown = character === null ? ends : character === '\n' ? '\\n' : character === ' ' ? '␣' : character;
  return [
    document.createTextNode(characters.slice(0, column - 1).join('')),
    element('mark', { text: shown }),
    document.createTextNode(characters.slice(column).join('')),
  ];
}

function signedLine({ field, value }, hasNext) {
  const item = element('li');
  item.append(element('span', { text: field, className: 'signed-field' }), element('code', { text: value }));
  if (hasNext) item.append(element('span', { text: '\\n', className: 'line-feed' }));
  return item;
}

function element(tag, { text = '', className = '', data = {} } = {}) {
  const made = document.createElement(tag);
  made.textContent = text;
  if (className) made.className = className;
  Object.assign(made.dataset, data);
  return made;
}
