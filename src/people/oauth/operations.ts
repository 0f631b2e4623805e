import type { SignedIn } from '../../api/access/viewer.ts';
import type { FailureKind } from '../../base/core/failure.ts';
import type { Paging } from '../../base/core/paging.ts';
import { ApplicationAnswer, applicationFieldsOf } from './present.ts';
import { ApplicationBody, type SentApplication } from './schema.ts';
import type { ApplicationOwner, OAuthApplications } from './service.ts';

interface OwnerCall<Params> {
  readonly viewer: SignedIn;
  readonly params: Params;
}

type ApplicationCall<Params> = OwnerCall<Params & { readonly id: number }>;

interface WithBody {
  readonly body: SentApplication;
}

/** Applications of the viewer, of organizations and of the site have the same operations. */
export interface Family<Params> {
  /** first part of the ids of operations */
  readonly prefix: 'user' | 'org' | 'admin';
  /** The reference names the list of a user in another way. */
  readonly listId: 'userGetOAuth2Applications' | 'orgListOAuth2Applications' | 'adminListOAuth2Applications';
  /** what the operations are about, for summaries */
  readonly words: { readonly all: string; readonly one: string; readonly created: string };
  /** Looks up and authorizes whose applications they are. */
  readonly ownerOf: (
    call: OwnerCall<Params>,
    action: 'list' | 'write',
  ) => Promise<ApplicationOwner> | ApplicationOwner;
}

const MISSING: readonly FailureKind[] = ['not_found'];
const UNUSABLE: readonly FailureKind[] = ['bad_request'];
const RENEWS = { renewsSecret: true } as const;

/** Returns the operations on the applications of one kind of owner. */
export function applicationOperations<Params>(
  applications: OAuthApplications,
  { prefix, listId, words, ownerOf }: Family<Params>,
) {
  return {
    list: {
      id: listId,
      summary: `List ${words.all}`,
      answer: ApplicationAnswer,
      handle: async (call: OwnerCall<Params> & { readonly paging: Paging }) =>
        applications.list(await ownerOf(call, 'list'), call.paging),
    },
    create: {
      id: `${prefix}CreateOAuth2Application`,
      summary: `Create ${words.created}: only this response shows its secret`,
      failures: UNUSABLE,
      body: ApplicationBody,
      status: 201,
      answer: ApplicationAnswer,
      handle: async (call: OwnerCall<Params> & WithBody) =>
        applications.create(call.viewer, await ownerOf(call, 'write'), applicationFieldsOf(call.body)),
    },
    get: {
      id: `${prefix}GetOAuth2Application`,
      summary: `Get ${words.one}`,
      failures: MISSING,
      answer: ApplicationAnswer,
      handle: async (call: ApplicationCall<Params>) =>
        applications.get(await ownerOf(call, 'list'), call.params.id),
    },
    edit: {
      id: `${prefix}UpdateOAuth2Application`,
      summary: `Change ${words.one}: a confidential client gets a new secret`,
      failures: [...UNUSABLE, ...MISSING],
      body: ApplicationBody,
      answer: ApplicationAnswer,
      async handle(call: ApplicationCall<Params> & WithBody) {
        const { accountId } = await ownerOf(call, 'write');
        const application = { accountId, id: call.params.id };
        return applications.change(call.viewer, application, applicationFieldsOf(call.body), RENEWS);
      },
    },
    delete: {
      id: `${prefix}DeleteOAuth2Application`,
      summary: `Delete ${words.one}, and end all that was granted to it`,
      failures: MISSING,
      async handle(call: ApplicationCall<Params>) {
        const { accountId } = await ownerOf(call, 'write');
        return applications.delete(call.viewer, { accountId, id: call.params.id });
      },
    },
  } as const;
}
