import { answerInThread } from '../../base/core/threads/in-thread.ts';
import hljs from './highlight-js.js';
import { languageOf } from './language.ts';
import { linesOf } from './lines.ts';
import type { HighlightAnswer, HighlightWork } from './model.ts';

function highlighted({ text, name }: HighlightWork): HighlightAnswer {
  const language = languageOf(name);
  return language === undefined
    ? null
    : linesOf(hljs.highlight(text, { language, ignoreIllegals: true }).value);
}

answerInThread(highlighted);
