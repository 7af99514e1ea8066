/** Runs the stages of a lane of tests one after another, and prints how long each took and what was slowest. */
import { slowest } from './test-seconds.mjs';

/**
 * @typedef {object} Stage
 * @property {string} name
 * @property {() => Record<string, number> | void} work returns the seconds of its parts, by name; ends the process on a failure
 */

/** @param {readonly Stage[]} stages */
export function runStages(stages) {
  const start = performance.now();
  const parts = {};
  for (const { name, work } of stages) {
    const begin = performance.now();
    console.log(`== ${name}`);
    Object.assign(parts, work());
    console.log(`== ${name}: ${secondsSince(begin)} s`);
  }
  console.log(`== slowest\n${slowest(parts)}`);
  console.log(`== total: ${secondsSince(start)} s`);
}

function secondsSince(start) {
  return ((performance.now() - start) / 1000).toFixed(0);
}
