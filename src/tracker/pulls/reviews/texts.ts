import type { SignedIn } from '../../../api/access/viewer.ts';
import { NO_REFERENCES, type ReadText, type TextReader } from '../../issues/discussion/references/read.ts';
import { PULL_LIMITS } from '../limits.ts';

/** Finds what the texts of a review refer to. Call it before a transaction. */
export async function readTexts(
  reader: TextReader,
  writer: SignedIn,
  texts: readonly string[],
): Promise<ReadText> {
  let all = NO_REFERENCES;
  for (const text of texts.slice(0, PULL_LIMITS.reviewTextsReadMax)) {
    const { mentions, teams, issues } = await reader.markdown(writer, text);
    all = {
      mentions: [...all.mentions, ...mentions],
      teams: [...all.teams, ...teams],
      issues: [...all.issues, ...issues],
    };
  }
  return all;
}
