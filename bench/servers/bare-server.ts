import fastify from 'fastify';

// The yardstick for JSON responses: the same web framework with one route for each size and no other work.

const app = fastify();
/** JSON texts. The server parses them first, so that encoding is part of the work. */
const texts = process.argv.slice(2);
texts.forEach((text, index) => {
  const value: unknown = JSON.parse(text);
  app.get(`/${index}`, async () => value);
});
const url = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`ready ${url}\n`);
process.once('SIGTERM', () => void app.close());
