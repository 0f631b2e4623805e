// Shows the files that match while someone types. Without this script, the form does the same.
const field = document.querySelector('[data-finder]');
const shown = document.getElementById('found');
const WAIT_MS = 150;
let timer;
let asked;

async function find() {
  const address = new URL(field.form.action);
  address.searchParams.set('q', field.value);
  asked?.abort();
  asked = new AbortController();
  try {
    const answer = await fetch(address, { signal: asked.signal, headers: { accept: 'text/html' } });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    shown.replaceChildren(...page.getElementById('found').childNodes);
    history.replaceState(null, '', address);
  } catch {
    // A newer search has replaced this one, or there is no network: the form still works.
  }
}

field.addEventListener('input', () => {
  clearTimeout(timer);
  timer = setTimeout(find, WAIT_MS);
});

field.addEventListener('keydown', (event) => {
  const first = shown.querySelector('a');
  if (event.key !== 'ArrowDown' || first === null) return;
  event.preventDefault();
  first.focus();
});

shown.addEventListener('keydown', (event) => {
  const links = [...shown.querySelectorAll('a')];
  const at = links.indexOf(document.activeElement);
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined || at === -1) return;
  event.preventDefault();
  (links[at + step] ?? field).focus();
});
