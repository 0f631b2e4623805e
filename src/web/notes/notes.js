// Saves a note one second after the last key, and when its writer leaves. What is typed is kept in the browser until the
// server has it, so a lost connection, a closed window or an ended session loses nothing.

const SAVED_AFTER_MS = 1000;
const RETRIED_AFTER_MS = 5000;
const FIELDS = ['title', 'category', 'content', 'favorite'];

const editor = document.querySelector('[data-note]');
const form = editor?.querySelector('form');
if (form) watch(form);

function watch(form) {
  const state = form.querySelector('[data-note-state]');
  const text = form.elements.namedItem('content');
  const own = `note of ${editor.dataset.account} `;
  forgetOthers(own);
  let key = `${own}${editor.dataset.note || 'new'}`;
  let timer;
  let isSaving = false;
  let isChanged = false;

  const show = (words) => {
    state.textContent = words;
  };
  const draft = () => JSON.stringify(Object.fromEntries(FIELDS.map((name) => [name, typedIn(form, name)])));

  const kept = localStorage.getItem(key);
  if (kept !== null && kept !== draft()) {
    fill(form, JSON.parse(kept));
    show('This text was not saved yet. It is saved now.');
    change();
  }

  form.addEventListener('input', change);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void save();
  });
  addEventListener('online', () => void save());
  addEventListener('pagehide', () => {
    if (isChanged && !isSaving && editor.dataset.note)
      navigator.sendBeacon(form.action, new URLSearchParams(new FormData(form)));
  });

  function change() {
    isChanged = true;
    localStorage.setItem(key, draft());
    show('Not saved yet');
    clearTimeout(timer);
    timer = setTimeout(save, SAVED_AFTER_MS);
  }

  async function save() {
    if (isSaving || !isChanged) return;
    clearTimeout(timer);
    isSaving = true;
    isChanged = false;
    const sent = draft();
    const sentText = text.value;
    show('Saving…');
    try {
      const response = await fetch(form.action, {
        method: 'POST',
        headers: { accept: 'application/json' },
        body: new URLSearchParams(new FormData(form)),
      });
      if (response.redirected || response.status === 401)
        throw new Error('Sign in again in another window. Your text is kept in this browser.');
      if (!response.ok) throw new Error(`Not saved: ${(await response.text()).slice(0, 200)}`);
      taken(await response.json(), { sent, sentText });
    } catch (error) {
      isChanged = true;
      show(error instanceof TypeError ? 'Offline. Your text is kept in this browser.' : error.message);
      timer = setTimeout(save, RETRIED_AFTER_MS);
    } finally {
      isSaving = false;
    }
    if (isChanged && draft() !== sent) timer = setTimeout(save, SAVED_AFTER_MS);
  }

  function taken(note, { sent, sentText }) {
    if (!editor.dataset.note) becomeNote(note);
    if (note.content !== undefined && text.value === sentText) {
      // Keeps the place of the writer, as far as the merged text allows.
      const { selectionStart, selectionEnd } = text;
      text.value = note.content;
      text.setSelectionRange(selectionStart, selectionEnd);
      show('Saved, and merged with an edit of another device. The history has both.');
    } else show('Saved');
    if (draft() !== sent && note.content === undefined) isChanged = true;
    else {
      localStorage.removeItem(key);
      // The server cleans titles and categories.
      fill(form, { title: note.title, category: note.category });
      document.title = `${note.title} · Notes`;
    }
  }

  function becomeNote({ id }) {
    localStorage.removeItem(key);
    editor.dataset.note = id;
    key = `${own}${id}`;
    const address = `${form.action}/${id}`;
    form.action = address;
    globalThis.history.replaceState(null, '', address);
  }
}

// Another account may have written in this browser before.
function forgetOthers(own) {
  for (const key of Object.keys(localStorage))
    if (key.startsWith('note ') && !key.startsWith(own)) localStorage.removeItem(key);
}

function typedIn(form, name) {
  const field = form.elements.namedItem(name);
  return field.type === 'checkbox' ? field.checked : field.value;
}

function fill(form, values) {
  for (const [name, value] of Object.entries(values)) {
    const field = form.elements.namedItem(name);
    if (field?.type === 'checkbox') field.checked = value;
    else if (field) field.value = value;
  }
}
