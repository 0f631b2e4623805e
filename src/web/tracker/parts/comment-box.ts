import { type Html, html } from '../../../base/core/text/html.ts';
import type { Addresses } from '../../../http/app.ts';
import type { ShownAccount } from '../../../people/accounts/model.ts';
import type { OriginalAuthor } from '../../../tracker/issues/model.ts';
import type { Attachment } from '../../../tracker/issues/models/attachments.ts';
import { icon } from '../../parts/icons.ts';
import { sizeText } from '../../parts/numbers.ts';
import { avatarHtml, personHtml } from '../../parts/people.ts';
import { agoHtml } from '../../parts/time.ts';

/** Who has written a text; an imported one may have an author on another server. */
export interface Author {
  /** null: the account was deleted, or is hidden from the viewer */
  readonly author: ShownAccount | null;
  readonly originalAuthor: OriginalAuthor;
}

/** A text of a person in a thread. */
export interface CommentBox extends Author {
  /** of the box, to which links lead */
  readonly anchor: string;
  /** what the author did, such as `commented` */
  readonly verb: string;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** words beside the name, such as `Author` */
  readonly badges?: readonly string[];
  /** rendered text */
  readonly content: Html;
  readonly attachments: readonly Attachment[];
  /** below the text */
  readonly reactions?: Html;
  /** at the end of the title: links and forms */
  readonly actions?: Html;
}

export function commentBox(box: CommentBox, addresses: Addresses): Html {
  const { anchor, verb, createdAt, updatedAt, badges = [], content, reactions, actions } = box;
  const edited =
    updatedAt > createdAt
      ? html` <span title="changed ${new Date(updatedAt).toISOString().slice(0, 16)} UTC">· edited</span>`
      : html``;
  const words = badges.map((word) => html`<span class="badge">${word}</span>`);
  return html`<article class="box comment" id="${anchor}">
<div class="title">${avatarOf(box, addresses)}<span>${authorHtml(box)} <span class="quiet">${verb} <a class="quiet" href="#${anchor}">${agoHtml(createdAt)}</a>${edited}</span></span><span class="end row">${words}${actions ?? html``}</span></div>
<div class="content stack">${content}
${attachmentsHtml(box.attachments)}${reactions ?? html``}</div>
</article>
`;
}

/** Returns the name of the author of a text. */
export function authorHtml({ author, originalAuthor }: Author): Html {
  if (author === null && originalAuthor.name !== '')
    return html`<strong>${originalAuthor.name}</strong> <span class="badge">imported</span>`;
  return html`<strong>${personHtml(author)}</strong>`;
}

function avatarOf({ author }: Author, addresses: Addresses): Html {
  return author === null ? icon('person') : avatarHtml(author, 24, addresses);
}

/** Returns links to the files of an issue, a comment or a release. */
export function attachmentsHtml(attachments: readonly Attachment[]): Html {
  if (attachments.length === 0) return html``;
  const items = attachments.map(
    ({ uuid, name, sizeBytes }) =>
      html`<li>${icon('file')} <a href="/attachments/${uuid}">${name}</a> <span class="quiet small number">${sizeText(sizeBytes)}</span></li>
`,
  );
  return html`<ul class="facts" aria-label="Attachments">
${items}</ul>
`;
}

/** Returns a text as HTML; says so if it is empty. */
export function textOrNothing(rendered: Html, text: string): Html {
  return text.trim() === '' ? html`<p class="quiet">No description.</p>` : rendered;
}
