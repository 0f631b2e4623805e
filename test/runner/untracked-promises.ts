import hooks from 'node:async_hooks';

// A test process imports this file before node:test, which then follows callbacks from a test to what they create, but not
// promises. Following each promise takes a fifth of the CPU of a test that sends requests. Only the report of an error
// that no code caught depends on it: the error fails the file instead of the test.

const { createHook } = hooks;

hooks.createHook = (callbacks) => {
  const options = { ...callbacks, trackPromises: false };
  return createHook(options);
};
