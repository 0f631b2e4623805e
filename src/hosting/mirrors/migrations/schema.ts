import { Type } from 'typebox';
import { UNSET_TIME } from '../../../http/time.ts';

const Time = (description: string) => Type.String({ format: 'date-time', description });
const Count = (description: string) => Type.Integer({ description });

export const RepositoryMigrationSchema = Type.Object(
  {
    id: Type.Integer(),
    repo_owner: Type.String({ description: 'name of the owner at the time of the request' }),
    repo_name: Type.String(),
    clone_addr: Type.String({ description: 'without credentials' }),
    mirror: Type.Boolean(),
    status: Type.String({ enum: ['waiting', 'running', 'done', 'failed', 'canceled'] }),
    phase: Type.String({
      enum: ['', 'refs', 'issues', 'git', 'lfs', 'publishing'],
      description: 'of the last attempt; empty before the first one',
    }),
    progress: Type.Object(
      {
        refs: Count('refs that the source lists'),
        git_objects: Count('git objects that the source sends'),
        bytes_received: Count('of git objects and large files'),
        large_files: Type.Integer(),
        large_files_total: Type.Integer(),
        issues: Type.Integer(),
        issues_total: Count('as the source says it; 0: it does not'),
        comments: Type.Integer(),
        comments_total: Count('as the source says it; 0: it does not'),
        pull_requests: Type.Integer(),
        pull_requests_total: Count('as the source says it; 0: it does not'),
        reviews: Count('of pull requests'),
      },
      { description: 'of the last attempt' },
    ),
    left_out: Type.Array(Type.String(), { description: 'what the copy does not have' }),
    attempts: Type.Integer(),
    last_error: Type.String({ description: 'why the last attempt failed; empty after a success' }),
    repo_id: Count('of the copy, which may have been deleted since; 0: there is none yet'),
    created_at: Time('of the request'),
    started_at: Time(`of the first attempt; ${UNSET_TIME}: there was none`),
    next_attempt_at: Time(`${UNSET_TIME}: it runs or has ended`),
    ended_at: Time(`${UNSET_TIME}: it has not ended`),
  },
  { $id: 'RepositoryMigration' },
);
