import { describe, expect, it } from 'vitest';
import { Slots } from '../../src/platform/slots.js';
import { rankPointers } from '../../src/services/resolver/pointers.js';
import { RecentManifests } from '../../src/services/resolver/recent.js';

describe('RecentManifests', () => {
  it('keeps an entry for an hour from its first insertion', () => {
    let now = 0;
    const recent = new RecentManifests(() => now);
    recent.add('x', 'a');
    now = 3_599_999;
    recent.add('x', 'b');
    expect(recent.isccIdsOf('x')).toEqual(['a', 'b']);
    now = 3_600_000;
    expect(recent.isccIdsOf('x')).toEqual([]);
    expect(recent.size).toBe(0);
    recent.add('x', 'b');
    expect(recent.isccIdsOf('x')).toEqual(['b']);
  });

  it('puts declarations that led to the manifest before those that have not yet', () => {
    const recent = new RecentManifests();
    for (const isccId of ['a', 'b', 'c', 'd', 'e']) recent.add('x', isccId);
    recent.confirm('x', 'd', '11');
    expect(recent.isccIdsOf('x')).toEqual(['d', 'a', 'b', 'c', 'e']);
    // Not among the first that a query returned.
    recent.confirm('x', 'f', '22');
    recent.confirm('x', 'd', '33');
    recent.add('x', 'g');
    expect(recent.isccIdsOf('x')).toEqual(['d', 'f', 'a', 'b', 'c']);
    expect(['11', '22', '33'].map((digest) => recent.isConfirmed('x', digest))).toEqual([false, true, true]);
    expect(recent.isConfirmed('y', '22')).toBe(false);
    for (const isccId of ['g', 'h', 'i', 'j']) recent.confirm('x', isccId, '44');
    expect(recent.isccIdsOf('x')).toEqual(['d', 'f', 'g', 'h', 'i']);
  });

  it('keeps at most 100,000 entries and drops the oldest', () => {
    const recent = new RecentManifests();
    for (let id = 0; id < 250_000; id += 1) recent.add(`urn:c2pa:${id}`, 'ISCC:MAAAAAAAAAAAAAAA');
    expect(recent.size).toBe(100_000);
    expect(recent.isccIdsOf('urn:c2pa:249999')).toHaveLength(1);
    expect(recent.isccIdsOf('urn:c2pa:149999')).toEqual([]);
  });
});

describe('rankPointers', () => {
  const hit = (isccId: string, score: number, gateway: string) => ({ isccId, score, gateway });

  it('keeps the best hit per address; equal scores are ordered by ISCC-ID', () => {
    const hits = [
      hit('ISCC:MAIWHQOPY3J32QAB', 90, 'x'),
      hit('ISCC:MAIWHECDLL6ABUAB', 90, 'x'),
      hit('ISCC:MAIWIECDLL6ABUAB', 99, 'y'),
      hit('ISCC:MAIWHECDLL6ABUAA', 80, 'y'),
      hit('ISCC:MAAAAAAAAAAAAAAA', 99, 'z'),
      hit('ISCC:MAIW2ECDLL6ABUAA', 90, 'digit'),
      hit('ISCC:MAIWHECDLL6ABUAA', 90, ''),
    ];
    const pointers = rankPointers(hits, (gateway) => gateway || undefined);
    expect(pointers.map(({ gateway, isccId }) => [gateway, isccId.slice(-16)])).toEqual([
      ['z', 'MAAAAAAAAAAAAAAA'],
      ['y', 'MAIWIECDLL6ABUAB'],
      ['x', 'MAIWHECDLL6ABUAB'],
      ['digit', 'MAIW2ECDLL6ABUAA'],
    ]);
  });
});

describe('Slots', () => {
  it('limits the running tasks and refuses more than the queue holds', async () => {
    const slots = new Slots(2, 3);
    let working = 0;
    let most = 0;
    const work = async () => {
      working += 1;
      most = Math.max(most, working);
      await new Promise(setImmediate);
      working -= 1;
      return true;
    };
    const done = await Promise.all(Array.from({ length: 6 }, () => slots.tryRun(work)));
    expect(done).toEqual([true, true, true, true, true, undefined]);
    expect([most, working]).toEqual([2, 0]);
    await expect(slots.tryRun(() => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(await slots.tryRun(work)).toBe(true);
  });
});
