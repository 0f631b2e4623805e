import { testKeptArchives } from './kept.ts';

testKeptArchives('a folder', async () => ({}));
