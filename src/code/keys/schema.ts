import { Type } from 'typebox';
import { RepositorySchema } from '../../hosting/repositories/schema.ts';
import { reference } from '../../http/shapes.ts';
import { UserSchema } from '../../people/accounts/schema.ts';

const Time = Type.String({ format: 'date-time' });

export const PublicKeySchema = Type.Object(
  {
    id: Type.Integer(),
    key: Type.String({ description: 'type, content in base64 and comment, with spaces between them' }),
    url: Type.String(),
    title: Type.String(),
    fingerprint: Type.String(),
    created_at: Time,
    updated_at: Type.String({ format: 'date-time', description: 'when the key was last used, or added' }),
    verified: Type.Boolean({
      description: 'whether its user has proved to possess it, or an administrator has added it',
    }),
    user: Type.Optional(reference(UserSchema)),
    read_only: Type.Optional(Type.Boolean()),
    key_type: Type.Optional(Type.String({ description: '`user`' })),
  },
  { $id: 'PublicKey' },
);

export const DeployKeySchema = Type.Object(
  {
    id: Type.Integer(),
    key_id: Type.Integer({ description: 'the same for the same key in all repositories' }),
    key: Type.String(),
    url: Type.String(),
    title: Type.String(),
    fingerprint: Type.String(),
    created_at: Time,
    read_only: Type.Boolean(),
    repository: reference(RepositorySchema),
  },
  { $id: 'DeployKey' },
);

export const CreateKeyBody = Type.Object(
  {
    key: Type.String({ description: 'a line as in a file whose name ends in .pub' }),
    title: Type.String(),
    read_only: Type.Optional(Type.Boolean({ description: 'of a deploy key; false by default' })),
    armored_signature: Type.Optional(
      Type.String({
        description:
          'of a key of yours: a signature of the token from `/user/gpg_key_token`, made with `ssh-keygen -Y sign -n quire`; it takes the key from a user who has not proved it',
      }),
    ),
  },
  { $id: 'CreateKeyOption' },
);

export const FingerprintQuery = { fingerprint: Type.Optional(Type.String()) };
export const DeployKeyQuery = { ...FingerprintQuery, key_id: Type.Optional(Type.Integer()) };

const openPgpPart = {
  id: Type.Integer(),
  primary_key_id: Type.String({ description: "'' for a primary key" }),
  key_id: Type.String({ description: '16 hexadecimal digits' }),
  public_key: Type.String({ description: 'base64; of a primary key with its subkeys' }),
  can_sign: Type.Boolean(),
  can_encrypt_comms: Type.Boolean(),
  can_encrypt_storage: Type.Boolean(),
  can_certify: Type.Boolean(),
  verified: Type.Boolean({ description: 'whether the user has proved to possess the key' }),
  created_at: Time,
  expires_at: Type.Union([Time, Type.Null()]),
};
const OpenPgpEmailSchema = Type.Object(
  {
    email: Type.String(),
    verified: Type.Boolean({ description: 'whether it is an address of the account' }),
  },
  { $id: 'GPGKeyEmail' },
);

export const OpenPgpKeySchema = Type.Object(
  {
    ...openPgpPart,
    emails: Type.Array(reference(OpenPgpEmailSchema)),
    subkeys: Type.Array(
      Type.Object({
        ...openPgpPart,
        emails: Type.Array(reference(OpenPgpEmailSchema)),
        subkeys: Type.Null(),
      }),
    ),
  },
  { $id: 'GPGKey' },
);

export const CreateOpenPgpKeyBody = Type.Object(
  {
    armored_public_key: Type.String({ description: 'what `gpg --armor --export` prints' }),
    armored_signature: Type.Optional(
      Type.String({ description: 'a detached signature of the token from `/user/gpg_key_token`' }),
    ),
  },
  { $id: 'CreateGPGKeyOption' },
);

export const ProveOpenPgpKeyBody = Type.Object(
  {
    key_id: Type.String(),
    armored_signature: Type.Optional(Type.String({ description: 'a detached signature of the token' })),
  },
  { $id: 'VerifyGPGKeyOption' },
);
