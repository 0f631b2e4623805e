import { Type } from 'typebox';

const FIELDS = {
  image: Type.Optional(
    Type.String({ description: 'a PNG, JPEG, GIF or WebP of up to 4 MiB and 16 megapixels, in base64' }),
  ),
};

export const UpdateUserAvatarBody = Type.Object(FIELDS, { $id: 'UpdateUserAvatarOption' });
export const UpdateRepositoryAvatarBody = Type.Object(FIELDS, { $id: 'UpdateRepoAvatarOption' });
