import { answerInThread } from '../../base/core/threads/in-thread.ts';
import hljs from './highlight-js.js';
import { languageOf } from './language.ts';
import { linesOf } from './lines.ts';
import type { HighlightAnswer, HighlightWork } from './model.ts';

function highlighted({ text, name, charsMax }: HighlightWork): HighlightAnswer {
  const language = languageOf(name);
  if (language === undefined) return null;
  const { value } = hljs.highlight(text, { language, ignoreIllegals: true });
  return linesOf(value, charsMax) ?? null;
}

answerInThread(highlighted);
