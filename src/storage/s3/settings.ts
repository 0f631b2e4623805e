/** Where an S3 store is, and how to use it. */
export interface S3Settings {
  /** `https://…` */
  readonly endpoint: string;
  /** at which clients reach the store, for signed addresses */
  readonly publicEndpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** '' or the first part of all keys, with a trailing `/` */
  readonly prefix: string;
  /** whether the bucket is in the path instead of in the name of the host */
  readonly pathStyle: boolean;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

/** Names the store for people, without anything secret. */
export function describeS3({ bucket, prefix, endpoint }: S3Settings): string {
  return `s3://${bucket}/${prefix} at ${endpoint}`;
}
