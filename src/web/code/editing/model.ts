import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Html } from '../../../base/core/text/html.ts';
import type { EditedPlace } from '../../../code/contents/writing/editing.ts';
import type { Addresses } from '../../../http/app.ts';

/** What a form about a change has, besides the files. */
export interface CommitFields {
  /** '': a message that names the files */
  readonly message: string;
  readonly description: string;
  /** null: the branch itself */
  readonly newBranch: string | null;
}

/** How the page of a form is answered. */
export interface EditView {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly addresses: Addresses;
  readonly place: EditedPlace;
  /** whether a protection keeps the viewer from writing the branch itself */
  readonly isProtected: boolean;
  /** a name for a new branch that is free */
  readonly freeBranch: string;
  /** as they were typed; undefined for a new form */
  readonly typed: CommitFields | undefined;
  readonly problem: string | undefined;
  /** what explains the problem */
  readonly about?: Html | undefined;
}
