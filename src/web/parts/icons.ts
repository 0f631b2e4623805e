import { type Html, html } from '../../base/core/text/html.ts';

/** Paths of icons in a square of 16 units, drawn with a line of 1.5 units. */
const PATHS = {
  archive: 'M2 3h12v3H2zM3 6v7h10V6M6.5 8.5h3',
  book: 'M8 4.5C6.5 3.3 4.5 3 2 3v9c2.5 0 4.5.3 6 1.5 1.5-1.2 3.5-1.5 6-1.5V3c-2.5 0-4.5.3-6 1.5Zm0 0v9',
  branch:
    'M5 5v6M5 5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0 9a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm6-8a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0 0c0 3-6 2-6 5',
  check: 'M3 8.5 6.5 12 13 4.5',
  clock: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Zm0-9v3.5l2.5 1.5',
  closed: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5.5 8l2 2 3-4',
  comment: 'M2.5 3h11v8H7l-3 2.5V11H2.5z',
  commit: 'M8 10.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM1.5 8h4m5 0h4',
  copy: 'M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z',
  cross: 'm4 4 8 8m0-8-8 8',
  download: 'M8 2v8m-3-3 3 3 3-3M2.5 13.5h11',
  eye: 'M1.5 8c1.7-3 3.9-4.5 6.5-4.5S12.8 5 14.5 8c-1.7 3-3.9 4.5-6.5 4.5S3.2 11 1.5 8ZM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  external: 'M6 3H3v10h10v-3M9 3h4v4m0-4L7.5 8.5',
  file: 'M4 1.8h5l3.5 3.5v8.9H4zM8.8 2v3.5h3.5',
  folder: 'M1.8 3.5h4.5l1.5 2h6.4v7.5H1.8z',
  gear: 'M8 10.2a2.2 2.2 0 1 0 0-4.4 2.2 2.2 0 0 0 0 4.4ZM8 1.8v2m0 8.4v2M1.8 8h2m8.4 0h2M3.6 3.6 5 5m6 6 1.4 1.4m0-8.8L11 5m-6 6-1.4 1.4',
  history: 'M2.5 8A5.5 5.5 0 1 0 4.4 3.8M2.5 2v3h3M8 5v3.2l2.2 1.3',
  issue: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Zm0-5.2a.8.8 0 1 0 0-1.6.8.8 0 0 0 0 1.6Z',
  link: 'M6.5 9.5a2.5 2.5 0 0 0 3.6 0l2.6-2.6a2.5 2.5 0 0 0-3.6-3.6l-.8.8m1.2 2.4a2.5 2.5 0 0 0-3.6 0L3.3 9.1a2.5 2.5 0 0 0 3.6 3.6l.8-.8',
  lock: 'M3.5 7h9v6.5h-9zM5.5 7V5a2.5 2.5 0 0 1 5 0v2',
  merged:
    'M5 5v6M5 5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0 9a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm6.5-4a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3ZM10 8.5C7 8.5 5 7 5 5',
  milestone: 'M4 14V2m0 1h8l-2 2.5L12 8H4',
  note: 'M3 2h10v8l-3.5 4H3zM9.5 14v-4H13M5.5 5h5M5.5 7.5h3',
  pencil: 'M2.5 13.5 3 10.8 10.8 3 13 5.2 5.2 13z',
  people:
    'M6 7.5a2.3 2.3 0 1 0 0-4.6 2.3 2.3 0 0 0 0 4.6Zm-4.5 6c0-2.7 2-3.7 4.5-3.7s4.5 1 4.5 3.7M10.5 7.3a2.1 2.1 0 1 0-.6-4.1m1.8 6.9c1.8.4 2.8 1.4 2.8 3.4',
  person: 'M8 8a2.8 2.8 0 1 0 0-5.6A2.8 2.8 0 0 0 8 8Zm-5.5 6c0-3 2.5-4 5.5-4s5.5 1 5.5 4',
  place:
    'M8 14c3-3.6 4.5-5.8 4.5-7.6a4.5 4.5 0 0 0-9 0C3.5 8.2 5 10.4 8 14Zm0-6a1.7 1.7 0 1 0 0-3.4 1.7 1.7 0 0 0 0 3.4Z',
  plus: 'M8 3v10M3 8h10',
  pull: 'M4 5v6m0-6a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0 9a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm8 0a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3Zm0-3V6c0-1.5-.8-2.3-2.2-2.3H7.5m1.8-1.9L7.4 3.7l1.9 1.9',
  repository: 'M3.5 2h9v12h-7a2 2 0 0 1-2-2zm0 10a2 2 0 0 1 2-2h7M6 4.5h4',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.7-1.3L14 14',
  smile: 'M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12ZM5.5 9.5c1.2 1.8 3.8 1.8 5 0M6 6.2v.1m4-.1v.1',
  star: 'm8 2 1.8 3.8 4.2.5-3.1 2.9.8 4.1L8 11.3l-3.7 2 .8-4.1L2 6.3l4.2-.5z',
  tag: 'M2 2h5.5L14 8.5 8.5 14 2 7.5zM5 5.6a.6.6 0 1 0 0-1.2.6.6 0 0 0 0 1.2Z',
  trash: 'M2.5 4h11M6 4V2.5h4V4m2 0-.6 9.5H4.6L4 4m2.8 2.5v4.5m2.4-4.5v4.5',
  upload: 'M8 11V3m-3 3 3-3 3 3M2.5 13.5h11',
} as const;

export type IconName = keyof typeof PATHS;

/**
 * Returns a picture that decorates a text beside it.
 *
 * @param look names of classes, such as the state of an issue
 */
export function icon(name: IconName, look = ''): Html {
  return html`<svg class="icon${look === '' ? '' : ` ${look}`}" viewBox="0 0 16 16" aria-hidden="true"><path d="${PATHS[name]}"/></svg>`;
}

/** Returns a picture that is the only thing in its place, with the words that say what it means. */
export function iconWithWords(name: IconName, words: string, look = ''): Html {
  return html`${icon(name, look)}<span class="sr-only">${words}</span>`;
}
