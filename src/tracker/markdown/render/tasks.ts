import type { MarkdownIt } from 'markdown-it';
import type { Environment } from './holes.ts';

const BOX = /^\[([ xX])\]\s+/;
const UNCHECKED = '<input type="checkbox" disabled="" />';
const CHECKED = '<input type="checkbox" disabled="" checked="" />';

/** Makes checkboxes of `[ ]` and `[x]` at the start of list items. */
export function markTasks(parser: MarkdownIt): void {
  parser.core.ruler.push('tasks', ({ tokens, env, Token: Kind }) => {
    const { holes } = env as unknown as Environment;
    tokens.forEach((item, index) => {
      const [paragraph, inline] = [tokens[index + 1], tokens[index + 2]];
      if (item.type !== 'list_item_open' || paragraph?.type !== 'paragraph_open') return;
      const first = inline?.children?.[0];
      const [box, state] = first?.type === 'text' ? (BOX.exec(first.content) ?? []) : [];
      if (first === undefined || box === undefined) return;
      item.attrJoin('class', 'task-list-item');
      const checkbox = new Kind('text', '', 0);
      checkbox.content = `${holes.add(state === ' ' ? UNCHECKED : CHECKED)} `;
      inline?.children?.unshift(checkbox);
      first.content = first.content.slice(box.length);
    });
  });
}
