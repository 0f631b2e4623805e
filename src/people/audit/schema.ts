import { type Static, Type } from 'typebox';
import { reference } from '../../http/shapes.ts';

const Id = Type.Union([Type.Integer(), Type.Null()]);
const Text = Type.Union([Type.String(), Type.Null()]);
const Named = Type.Object({ id: Id, login: Text });

export const AuditEntrySchema = Type.Object(
  {
    id: Type.Integer(),
    created_at: Type.String({ format: 'date-time' }),
    action: Type.String({ description: 'for example `token.created`' }),
    actor: Type.Object({
      kind: Type.String({
        description: '`user`, `deploy-key`, `mirror`, `system`, `command-line` or `anonymous`',
      }),
      id: Id,
      login: Text,
    }),
    administrator: Type.Union([Named, Type.Null()], {
      description: 'the site administrator who acted as the actor',
    }),
    credential: Type.Union(
      [
        Type.Object({
          kind: Type.String({
            description:
              '`none`, `password`, `token`, `session`, `ssh-key`, `deploy-key`, `oauth` or `proxy`',
          }),
          id: Id,
        }),
        Type.Null(),
      ],
      { description: '`null`: no request brought the change' },
    ),
    address: Type.Union([Type.String(), Type.Null()], {
      description: 'of the client; `null` where another person worked, unless you are a site administrator',
    }),
    request_id: Text,
    target: Type.Object({ kind: Type.String({ description: 'for example `token`' }), id: Id, name: Text }),
    repository: Type.Union([Type.Object({ id: Type.Integer(), full_name: Text }), Type.Null()]),
    details: Type.Unsafe<Record<string, unknown>>({
      type: 'object',
      additionalProperties: true,
      description: 'former and new values; never a secret',
    }),
    logins: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'names of the accounts in the details, by their ids',
    }),
  },
  { $id: 'AuditEntry', 'x-quire': true, description: 'Names are from the time of the entry' },
);
export type AuditEntryRecord = Static<typeof AuditEntrySchema>;

export const AuditPageSchema = Type.Object(
  {
    entries: Type.Array(reference(AuditEntrySchema)),
    cursor: Type.Union([Type.String(), Type.Null()], {
      description: 'continues after this page; `null`: there is nothing after it',
    }),
  },
  { $id: 'AuditPage', 'x-quire': true },
);
export type AuditPageRecord = Static<typeof AuditPageSchema>;

export const AuditQuery = {
  since: Type.Optional(Type.String()),
  until: Type.Optional(Type.String()),
  actor: Type.Optional(Type.String()),
  target: Type.Optional(Type.String()),
  action: Type.Optional(Type.String()),
  cursor: Type.Optional(Type.String()),
  limit: Type.Optional(Type.Integer()),
};
