/** `isccd doctor`: one text about an installation, without secrets. */
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../codes/support/folder.js';
import { servicePorts, startAllServices } from '../support/all-services.js';
import { isccd } from '../support/command.js';

const SECRETS = {
  APP_SECRET_KEY: 'secret-key-that-must-not-be-shown-0123456789',
  INDEXSVC_API_SECRET: 'secret-of-the-api',
  CODEWEB_ERROR_TRACKING_DSN: 'https://secretkey@errors.example/1',
  RESOLVER_SEARCH_URL: 'http://user:secret-password@127.0.0.1:9',
};

it('shows versions, what is set, services, tools and disks', async () => {
  const cwd = await temporaryFolder();
  const ports = await servicePorts();
  const env = { ...ports, ISCCD_DATA_DIR: cwd };
  const { code, stdout, stderr } = await isccd(['doctor'], { cwd, env });
  expect([code, stderr]).toEqual([0, '']);
  for (const title of ['Versions', 'Configuration', 'Services', 'Tools', 'Disks', 'Problems'])
    expect(stdout).toContain(`${title}\n`);
  expect(stdout).toMatch(new RegExp(`node +${process.versions.node}`));
  expect(stdout).toMatch(new RegExp(`CODEWEB_PORT +${ports.CODEWEB_PORT} {2}\\(environment\\)`));
  expect(stdout).not.toContain('INDEXSVC_LOG_LEVEL');
  expect(stdout).toMatch(/codes +http:\/\/127\.0\.0\.1:\d+ {2}not running/);
  expect(stdout).toMatch(/data +\S+ {2}.* free of /);
  expect(stdout).toMatch(/Problems\n {2}none\n$/);
});

it('never shows a secret', async () => {
  const cwd = await temporaryFolder();
  const env = { ...(await servicePorts()), ISCCD_DATA_DIR: cwd, ...SECRETS };
  for (const args of [['doctor'], ['doctor', '--json']]) {
    const { stdout, stderr } = await isccd(args, { cwd, env });
    expect(stdout).toContain('APP_SECRET_KEY');
    expect(stdout).toContain('RESOLVER_SEARCH_URL');
    expect(stdout + stderr).not.toMatch(/secret-|secretkey/);
  }
});

it('reports running services, and fails if the configuration has problems', async () => {
  const services = await startAllServices();
  onTestFinished(() => services.stop());
  const env = { ...services.variables, INDEXSVC_MAX_BDY: '1000', CODEWEB_MAX_WORKERS: 'many' };
  const { code, stdout, stderr } = await isccd(['doctor', '--json'], { cwd: services.folder, env });
  const report = JSON.parse(stdout) as Record<string, unknown>;
  expect(report.services).toMatchObject(
    ['codes', 'search', 'store', 'resolver'].map((name) => ({ name, healthy: true })),
  );
  expect(report.problems).toEqual([
    expect.stringContaining('CODEWEB_MAX_WORKERS'),
    expect.stringContaining('did you mean INDEXSVC_MAX_BODY?'),
  ]);
  expect([code, stderr]).toEqual([1, 'isccd: 2 problems\n']);
});
