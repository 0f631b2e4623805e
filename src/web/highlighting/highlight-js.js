// highlight.js declares the types of browsers for the whole program. The file beside this one declares only what is used.
export { default } from 'highlight.js/lib/common';
