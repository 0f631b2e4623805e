import { Type } from 'typebox';
import { reference } from '../../http/shapes.ts';

export const PayloadUser = Type.Object(
  {
    name: Type.String(),
    email: Type.String(),
    username: Type.String({ description: "'' without a visible user behind the address" }),
  },
  { $id: 'PayloadUser' },
);

export const VerificationSchema = Type.Object(
  {
    verified: Type.Boolean({
      description:
        'whether a key of the user with the e-mail address of the committer or tagger, or of the server, made the signature',
    }),
    reason: Type.String(),
    signature: Type.String(),
    signer: Type.Union([reference(PayloadUser), Type.Null()]),
    payload: Type.String({ description: 'the text that is signed' }),
  },
  { $id: 'PayloadCommitVerification' },
);
