import fastify from 'fastify';

// The yardstick for answers in JSON: the same web framework with one route for each size, and nothing behind them.

const app = fastify();
/** JSON texts; each is answered as a value, so that encoding it is part of the work. */
const texts = process.argv.slice(2);
texts.forEach((text, index) => {
  const value: unknown = JSON.parse(text);
  app.get(`/${index}`, async () => value);
});
const url = await app.listen({ port: 0, host: '127.0.0.1' });
process.stdout.write(`ready ${url}\n`);
process.once('SIGTERM', () => void app.close());
