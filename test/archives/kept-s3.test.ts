import { s3Bucket, whyNoS3 } from '../support/s3.ts';
import { testKeptArchives } from './kept.ts';

testKeptArchives('S3', async () => (await s3Bucket()).flags, { skip: whyNoS3 });
