import { Type } from 'typebox';

/** An address to verify. Only this server has such a request. */
export const VerifyEmailBody = Type.Object({ email: Type.String() }, { $id: 'VerifyEmailOption' });
