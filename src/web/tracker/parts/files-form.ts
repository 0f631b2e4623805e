import { type Html, html } from '../../../base/core/text/html.ts';
import { icon } from '../../parts/icons.ts';
import { sizeText } from '../../parts/numbers.ts';
import { postForm, type TrackerView } from './view.ts';

interface File {
  readonly id: number;
  readonly name: string;
  readonly sizeBytes: number;
}

/**
 * Returns the files of an issue, a comment or a release, with the forms that add and delete them.
 *
 * @param path to which a form sends a file
 */
export function filesForm(view: TrackerView, path: string, files: readonly File[]): Html {
  if (view.token === undefined) return html``;
  const rows = files.map(({ id, name, sizeBytes }) => {
    const remove = postForm(view, {
      action: `${path}/${id}/delete`,
      content: html`<button class="small danger">Delete<span class="sr-only"> ${name}</span></button>`,
    });
    return html`<li><span class="grow">${icon('file')} ${name} <span class="quiet small number">${sizeText(sizeBytes)}</span></span><span class="end">${remove}</span></li>
`;
  });
  const list = rows.length === 0 ? html`` : html`<ul class="rows">\n${rows}</ul>\n`;
  // Such a form has no token: a browser that says nothing about its page cannot send files.
  const add = html`<form class="content row" method="post" action="${path}" enctype="multipart/form-data"><label><span class="sr-only">File</span><input type="file" name="attachment" required></label><button class="small">${icon('upload')}Add the file</button></form>`;
  return html`<section class="box"><div class="title"><h2>Files</h2></div>
${list}${add}</section>
`;
}
