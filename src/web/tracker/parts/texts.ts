import type { Html } from '../../../base/core/text/html.ts';
import type { Markdown } from '../../../tracker/markdown/service.ts';
import { repositoryPath } from '../../addresses.ts';
import { markdownTexts } from '../../parts/markdown.ts';
import type { TrackerView } from './view.ts';

/** Renders the texts of a page of a repository's tracker. @returns by the ids of the texts */
export async function renderedTexts(
  { viewer, permitted }: TrackerView,
  markdown: Markdown,
  texts: readonly { readonly id: number; readonly body: string }[],
  mode: 'comment' | 'wiki' = 'comment',
): Promise<ReadonlyMap<number, Html>> {
  const shown = texts.filter(({ body }) => body !== '');
  const rendered = await markdownTexts(
    markdown,
    viewer,
    shown.map(({ body }) => body),
    { mode, context: repositoryPath(permitted.repository) },
  );
  return new Map(rendered.map((text, index) => [shown[index]?.id ?? 0, text]));
}
