/** Why a picture cannot be used, as a sentence for its sender. */
export class UnusableImageError extends Error {}
