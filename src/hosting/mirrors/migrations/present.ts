import type { Static } from 'typebox';
import { answerOf } from '../../../api/operations/answers.ts';
import { UNSET_TIME, wireTime } from '../../../http/time.ts';
import type { Migration } from './model.ts';
import { RepositoryMigrationSchema } from './schema.ts';

function presentMigration(migration: Migration): Static<typeof RepositoryMigrationSchema> {
  const { progress } = migration;
  return {
    id: migration.id,
    repo_owner: migration.ownerName,
    repo_name: migration.name,
    clone_addr: migration.address,
    mirror: migration.isMirror,
    status: migration.state,
    phase: progress.phase ?? '',
    progress: {
      refs: progress.refs,
      git_objects: progress.objects,
      bytes_received: progress.bytesReceived,
      large_files: progress.largeFiles,
      large_files_total: progress.largeFilesTotal,
      issues: progress.issues,
      issues_total: progress.issuesTotal,
      comments: progress.comments,
      comments_total: progress.commentsTotal,
      pull_requests: progress.pulls,
      pull_requests_total: progress.pullsTotal,
      reviews: progress.reviews,
    },
    left_out: [...progress.leftOut],
    attempts: migration.attempts,
    last_error: migration.failure?.what ?? '',
    repo_id: migration.repositoryId ?? 0,
    created_at: wireTime(migration.requestedAt),
    started_at: timeOf(migration.begunAt),
    next_attempt_at: timeOf(migration.dueAt),
    ended_at: timeOf(migration.endedAt),
  };
}

function timeOf(ms: number | null): string {
  return ms === null ? UNSET_TIME : wireTime(ms);
}

export const RepositoryMigrationAnswer = answerOf(RepositoryMigrationSchema, presentMigration);
