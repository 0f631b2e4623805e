import { type Html, html } from '../../../base/core/text/html.ts';
import { icon } from '../../parts/icons.ts';
import type { Choices } from './choices.ts';
import { type Choice, selectField } from './fields.ts';

/** Fields of a list of issues or pull requests, as its address has them: those of the list of the API. */
export interface ListQuery {
  readonly state?: string;
  readonly q?: string;
  readonly sort?: string;
  readonly labels?: string;
  readonly milestones?: string;
  readonly created_by?: string;
  readonly assigned_by?: string;
  readonly mentioned_by?: string;
}

const FIELDS = [
  'q',
  'state',
  'labels',
  'milestones',
  'assigned_by',
  'created_by',
  'mentioned_by',
  'sort',
] as const;
/** Fields that make a list shorter. */
const NARROWING = FIELDS.filter((field) => field !== 'state' && field !== 'sort');

/** Returns the address of a list with some fields changed. A field that is '' is left out. */
export function listPath(path: string, query: ListQuery, changed: ListQuery = {}): string {
  const params = new URLSearchParams();
  const merged = { ...query, ...changed };
  for (const field of FIELDS) {
    const value = merged[field] ?? '';
    if (value !== '') params.set(field, value);
  }
  return params.size === 0 ? path : `${path}?${params}`;
}

/** Whether a list has only some of the issues. */
export function isNarrowed(query: ListQuery): boolean {
  return NARROWING.some((field) => (query[field] ?? '') !== '');
}

const ORDERS: readonly Choice[] = [
  { value: '', words: 'Newest' },
  { value: 'oldest', words: 'Oldest' },
  { value: 'recentupdate', words: 'Recently changed' },
  { value: 'leastupdate', words: 'Least recently changed' },
  { value: 'mostcomment', words: 'Most comments' },
  { value: 'leastcomment', words: 'Fewest comments' },
  { value: 'nearduedate', words: 'Due first' },
  { value: 'farduedate', words: 'Due last' },
];

/** Returns the form that narrows a list, which works without a script. */
export function filterForm(path: string, query: ListQuery, choices: Choices): Html {
  const {
    q = '',
    state = '',
    labels = '',
    milestones = '',
    assigned_by = '',
    created_by = '',
    sort = '',
  } = query;
  const all = (words: string): Choice => ({ value: '', words });
  const named = (name: string): Choice => ({ value: name, words: name });
  const people = choices.assignees.map(({ name }) => named(name));
  const clear = isNarrowed(query)
    ? html`<a class="button" href="${listPath(path, { state, sort })}">Clear</a>`
    : html``;
  const hidden = (name: keyof ListQuery) => {
    const value = query[name] ?? '';
    return value === '' ? html`` : html`<input type="hidden" name="${name}" value="${value}">`;
  };
  return html`<form class="filters" action="${path}" role="search">
<label class="words"><span class="sr-only">Words</span><input type="search" name="q" value="${q}" placeholder="Words in titles and texts" maxlength="255"></label>
<details${isOpen(query) ? html` open` : html``}><summary class="button">${icon('gear')}Filters</summary><div class="fields">
${selectField({ name: 'labels', label: 'Label' }, [all('Any'), ...choices.labels.map(({ name }) => named(name))], labels)}
${selectField({ name: 'milestones', label: 'Milestone' }, [all('Any'), ...choices.milestones.map(({ title }) => named(title))], milestones)}
${selectField({ name: 'assigned_by', label: 'Assignee' }, [all('Anyone'), ...people], assigned_by)}
<label>Author<input name="created_by" value="${created_by}" maxlength="40" autocapitalize="none" spellcheck="false"></label>
${selectField({ name: 'sort', label: 'Order' }, q === '' ? ORDERS : [{ value: '', words: 'Best match' }, { value: 'latest', words: 'Newest' }, ...ORDERS.slice(1)], sort)}
</div></details>
${hidden('state')}${hidden('mentioned_by')}<button>${icon('search')}Search</button>${clear}</form>
`;
}

function isOpen({
  labels = '',
  milestones = '',
  assigned_by = '',
  created_by = '',
  sort = '',
}: ListQuery): boolean {
  return [labels, milestones, assigned_by, created_by, sort].some((value) => value !== '');
}

interface Counts {
  readonly open: number;
  readonly closed: number;
}

/**
 * Returns the links that switch a list between open and closed ones.
 *
 * @param more fields of the address that only this list has
 */
export function stateLinks(
  path: string,
  query: ListQuery,
  { open, closed }: Counts,
  more: Readonly<Record<string, string>> = {},
): Html {
  const { state = 'open' } = query;
  const link = (value: string, words: Html, isCurrent: boolean) =>
    html`<a href="${withMore(listPath(path, query, { state: value }), more)}"${isCurrent ? html` aria-current="true"` : html``}>${words}</a>`;
  const isClosed = state === 'closed';
  return html`<span class="states">${link('', html`${icon('issue')} ${number(open)} open`, !isClosed && state !== 'all')} ${link('closed', html`${icon('closed')} ${number(closed)} closed`, isClosed)} ${link('all', html`All`, state === 'all')}</span>`;
}

function number(count: number): string {
  return count.toLocaleString('en-US');
}

function withMore(path: string, fields: Readonly<Record<string, string>>): string {
  const text = new URLSearchParams(fields).toString();
  if (text === '') return path;
  return `${path}${path.includes('?') ? '&' : '?'}${text}`;
}
