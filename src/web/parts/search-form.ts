import { type Html, html } from '../../base/core/text/html.ts';
import { icon } from './icons.ts';

/** A choice beside the words of a search, such as the order of the results. */
interface SearchChoice {
  readonly name: string;
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, words: string])[];
}

interface SearchForm {
  /** of the list */
  readonly path: string;
  readonly words: string;
  /** what the words are compared with */
  readonly label: string;
  readonly charsMax: number;
  readonly choices?: readonly SearchChoice[];
  /** further fields */
  readonly more?: Html;
  readonly problem?: string | undefined;
}

/** Returns the form that filters and orders a list. Its address can be kept as a bookmark. */
export function searchForm(form: SearchForm): Html {
  const { path, words, label, charsMax, choices = [], more = html``, problem } = form;
  const said = problem === undefined ? html`` : html`<p class="problem" role="alert">${problem}</p>`;
  return html`${said}<form class="filters" role="search" action="${path}">
<label class="words"><span class="sr-only">${label}</span><input type="search" name="q" value="${words}" placeholder="${label}" maxlength="${charsMax}"></label>
${choices.map(choiceHtml)}${more}<button>${icon('search')}Search</button>
</form>
`;
}

function choiceHtml({ name, label, value, options }: SearchChoice): Html {
  return html`<label><span class="sr-only">${label}</span>${selectHtml(name, value, options)}</label>
`;
}

/** Returns a field that chooses one of some values. */
export function selectHtml(name: string, value: string, options: SearchChoice['options']): Html {
  return html`<select name="${name}">${options.map(
    ([each, text]) =>
      html`<option value="${each}"${each === value ? html` selected` : html``}>${text}</option>`,
  )}</select>`;
}
