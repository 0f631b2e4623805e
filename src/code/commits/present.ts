import { answerOf } from '../../api/operations/answers.ts';
import type { ChangedFile } from '../../git/interface/history.ts';
import type { CommitDetails } from '../git-data/model.ts';
import { presentDetails, presentFiles } from '../git-data/present.ts';
import { CommitListSchema, CompareSchema } from './schema.ts';

interface ComparedDetails {
  readonly commits: readonly CommitDetails[];
  readonly total: number;
  readonly files: readonly ChangedFile[];
}

export const CommitListAnswer = answerOf(
  CommitListSchema,
  (commits: readonly CommitDetails[], viewer, addresses) =>
    commits.map((commit) => presentDetails(commit, viewer, addresses)),
);

export const CompareAnswer = answerOf(
  CompareSchema,
  ({ commits, total, files }: ComparedDetails, viewer, addresses) => ({
    total_commits: total,
    commits: commits.map((commit) => presentDetails(commit, viewer, addresses)),
    files: presentFiles(files),
  }),
);
