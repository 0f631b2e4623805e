// Runs in browsers, on pages of threads. Links to a comment do not say on which page of a long thread it is, so this script
// goes there. Ctrl-Enter sends the form of a text.

function goToComment() {
  const [, id] = /^#issuecomment-(\d+)$/.exec(location.hash) ?? [];
  if (id === undefined || document.getElementById(location.hash.slice(1)) !== null) return;
  if (document.querySelector('[data-pages]') === null) return;
  if (new URLSearchParams(location.search).get('comment') === id) return;
  location.replace(`${location.pathname}?comment=${id}${location.hash}`);
}

goToComment();
addEventListener('hashchange', goToComment);

addEventListener('keydown', (event) => {
  const isSending = event.key === 'Enter' && (event.ctrlKey || event.metaKey);
  if (!isSending || !(event.target instanceof HTMLTextAreaElement)) return;
  const { form } = event.target;
  const button = form?.querySelector('button.primary');
  if (!button) return;
  event.preventDefault();
  form.requestSubmit(button);
});
