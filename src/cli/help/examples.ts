/** Examples of every command, shown in its help and in the manual, and run by a test. */
export interface Example {
  /** A shell command line. */
  readonly line: string;
  /** Why the test cannot run it. */
  readonly untested?: string;
}

const ENDLESS = 'runs until it is stopped';
const NEEDS_SERVICES = 'needs running services';
const REMOTE = 'connects to another machine';
const CODE = 'ISCC:KUABLDA46RGP3AQIGWC7QX6D7PGA2';

/** By the words of the command; the program itself has the empty key. Every command needs an entry. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  '': [
    { line: 'isccd serve', untested: ENDLESS },
    { line: 'isccd code photo.jpg' },
    { line: 'isccd check config store --json' },
  ],
  serve: [
    { line: 'isccd serve', untested: ENDLESS },
    { line: 'CODEWEB_PORT=9000 isccd serve codes', untested: ENDLESS },
    { line: 'isccd serve codes --env' },
    { line: 'isccd serve search --dev', untested: ENDLESS },
  ],
  code: [
    { line: 'isccd code photo.jpg notes.txt' },
    { line: 'isccd code --no-thumbnail *.jpg > codes.jsonl' },
    { line: "isccd code photo.jpg | grep -o 'ISCC:KE[A-Z2-7]*'" },
    { line: "isccd code . --include '*.jpg' --csv" },
    { line: "isccd code '*.txt' --resume codes.resume" },
    { line: 'isccd code --tree .' },
    { line: 'isccd code --check codes.jsonl' },
    { line: 'cat notes.txt | isccd code - --filename notes.txt --name "My notes"' },
    { line: 'isccd code --soft-binding photo.jpg 2> units.txt' },
    { line: 'isccd code https://media.example/photo.jpg s3://bucket/archive/', untested: REMOTE },
  ],
  explain: [{ line: `isccd explain ${CODE}` }, { line: `isccd explain --json ${CODE}` }],
  compare: [
    {
      line: 'isccd compare ISCC:GABW5LUBVP23N3DOD7PPINHT5JKBI ISCC:GABW5LUBVP23N3DOD7PPINHT5JKBI',
    },
    { line: 'isccd compare photo.jpg photo.jpg --json' },
  ],
  scan: [
    { line: 'isccd scan .' },
    { line: "isccd scan . --include '*.jpg' --out pictures --distance 16 --json" },
    { line: 'isccd scan . --workspace all --label photos' },
    { line: 'isccd scan new --reference archive --script keep=reference', untested: 'needs such folders' },
    { line: 'isccd scan archive --watch', untested: ENDLESS },
  ],
  'scan status': [{ line: 'isccd scan status all' }, { line: 'isccd scan status all --json' }],
  'scan import': [
    { line: 'isccd scan import all isccd-scan --label copy' },
    { line: 'isccd scan import all /mnt/disk --label disk', untested: 'needs such a folder' },
  ],
  'scan ignore': [{ line: 'isccd scan ignore all 3', untested: 'needs a group with this number' }],
  extract: [
    { line: 'isccd extract photo.jpg --thumbnail thumbnail.webp' },
    { line: 'isccd extract --text notes.txt' },
    { line: 'isccd extract notes.txt --json' },
  ],
  selftest: [{ line: 'isccd selftest' }, { line: 'isccd selftest --json' }],
  doctor: [{ line: 'isccd doctor' }, { line: 'isccd doctor --json' }],
  simprint: [{ line: 'isccd simprint notes.txt' }, { line: 'echo "Some text" | isccd simprint -' }],
  demo: [
    { line: 'isccd demo' },
    { line: 'isccd demo photo.jpg --json' },
    { line: 'isccd demo --here', untested: NEEDS_SERVICES },
  ],
  index: [{ line: 'isccd index create photos --at ./indexes' }, { line: 'isccd index list --at ./indexes' }],
  'index create': [{ line: 'isccd index create songs --at ./indexes' }],
  'index list': [
    { line: 'isccd index list --at ./indexes' },
    { line: 'isccd index list --at https://search.example --api-key KEY', untested: REMOTE },
  ],
  'index add': [
    { line: 'isccd index add photos entries.jsonl --at ./indexes' },
    { line: 'cat entries.jsonl | isccd index add photos - --at ./indexes' },
    { line: 'isccd code photo.jpg | isccd index add photos - --make-ids --at ./indexes' },
  ],
  'index import': [
    { line: 'isccd index import photos --from entries.jsonl --at ./indexes' },
    { line: 'isccd index import --from /var/lib/iscc-search --at ./new', untested: 'needs such a folder' },
  ],
  'index export': [
    { line: 'isccd index export photos --at ./indexes > photos.ndjson' },
    { line: 'isccd index export photos --at ./indexes | gzip > photos.ndjson.gz' },
  ],
  'index copy': [{ line: 'isccd index copy photos photos2 --at ./indexes' }],
  'index repair': [{ line: 'isccd index repair photos --at ./indexes' }],
  'index search': [
    { line: `isccd index search photos ${CODE} --at ./indexes --limit 10` },
    { line: 'isccd index search photos photo.jpg --at ./indexes --threshold 0.9' },
  ],
  find: [
    { line: 'isccd find photo.jpg --in photos --at ./indexes' },
    { line: 'isccd find photo.jpg --in photos --at https://search.example --json', untested: REMOTE },
  ],
  'index get': [{ line: 'isccd index get photos ISCC:MAIGIIFJRDGEQQAA --at ./indexes' }],
  'index paths': [
    { line: 'isccd index paths photos --at ./indexes' },
    { line: 'isccd index paths photos metadata.source metadata.lang --at ./indexes' },
  ],
  'index quarantine': [
    { line: 'isccd index quarantine photos --at http://127.0.0.1:8010', untested: NEEDS_SERVICES },
    {
      line: 'isccd index quarantine photos --release ISCC:EED3P5DCQAP5UTSYTAGVQ3NHYDWFLKDOFMTOS3PWSRT2DQTBWBEL4FQ',
      untested: NEEDS_SERVICES,
    },
  ],
  'index watch': [
    { line: 'isccd index watch list photos --at http://127.0.0.1:8010', untested: NEEDS_SERVICES },
    { line: 'isccd index watch events photos cover --at http://127.0.0.1:8010', untested: ENDLESS },
  ],
  'index watch add': [
    {
      line: 'isccd index watch add photos cover photo.jpg --at http://127.0.0.1:8010',
      untested: NEEDS_SERVICES,
    },
  ],
  'index watch list': [
    { line: 'isccd index watch list photos --at http://127.0.0.1:8010', untested: NEEDS_SERVICES },
  ],
  'index watch get': [
    { line: 'isccd index watch get photos cover --at http://127.0.0.1:8010', untested: NEEDS_SERVICES },
  ],
  'index watch rm': [
    { line: 'isccd index watch rm photos cover --at http://127.0.0.1:8010', untested: NEEDS_SERVICES },
  ],
  'index watch events': [
    { line: 'isccd index watch events photos cover --at http://127.0.0.1:8010', untested: ENDLESS },
  ],
  'index key': [{ line: 'isccd index key create --rights read' }, { line: 'isccd index key list' }],
  'index key create': [
    { line: 'isccd index key create --rights read --indexes photos --name website' },
    { line: 'isccd index key create --rights read,write,admin --file ./keys.json' },
  ],
  'index key list': [{ line: 'isccd index key list' }],
  'index key revoke': [{ line: 'isccd index key revoke 1f0a22c3', untested: 'needs the id of a key' }],
  'index rm': [{ line: 'isccd index rm songs --at ./indexes' }],
  seed: [{ line: 'isccd seed isrc recording.json' }],
  'seed isrc': [
    { line: 'isccd seed isrc recording.json' },
    { line: 'isccd seed isrc --form json-ld recording.json' },
  ],
  'seed isbn': [{ line: 'isccd seed isbn book.json' }],
  'seed stm': [{ line: 'isccd seed stm article.json' }],
  network: [{ line: 'isccd network status', untested: NEEDS_SERVICES }],
  'network status': [{ line: 'isccd network status --json', untested: NEEDS_SERVICES }],
  'network verify': [{ line: 'isccd network verify --online 10', untested: NEEDS_SERVICES }],
  'network check': [
    {
      line: 'isccd network check ./log --origin iscc.id/log --key z6Mk… --hub-id 1 --network mainnet',
      untested: 'needs the files of a log',
    },
  ],
  'network reset': [
    { line: 'isccd network reset 1 --yes', untested: 'needs a folder that follows a network' },
  ],
  store: [{ line: 'isccd store gen-key --url https://store.example' }],
  'store add': [{ line: 'isccd store add manifests --include "**/*.c2pa"', untested: NEEDS_SERVICES }],
  'store list': [{ line: 'isccd store list --at https://store.example', untested: NEEDS_SERVICES }],
  'store get': [
    {
      line: 'isccd store get urn:c2pa:8d3b9c5e-1f6a-4c7e-9d42-0b5a6f7c8d9e -o photo.c2pa',
      untested: NEEDS_SERVICES,
    },
  ],
  'verify-evidence': [
    {
      line: 'isccd verify-evidence match.evidence.json --file photo.jpg',
      untested: 'needs evidence of a match',
    },
  ],
  'store rm': [
    { line: 'isccd store rm urn:c2pa:8d3b9c5e-1f6a-4c7e-9d42-0b5a6f7c8d9e', untested: NEEDS_SERVICES },
  ],
  'store gen-key': [{ line: 'isccd store gen-key --url https://store.example' }],
  'store hash-token': [{ line: 'echo "$TOKEN" | isccd store hash-token' }],
  'store sample': [{ line: 'isccd store sample photo.jpg' }],
  'store check-log': [
    {
      line: 'isccd store check-log https://store.example --kept store.example.checkpoint',
      untested: 'needs a store with a key',
    },
  ],
  'store verify-receipt': [
    { line: 'isccd store verify-receipt receipt.json --did did.json', untested: 'needs a receipt' },
  ],
  'store reindex': [{ line: 'isccd store reindex', untested: NEEDS_SERVICES }],
  'store verify': [{ line: 'isccd store verify --rejudge', untested: NEEDS_SERVICES }],
  'store revalidate': [{ line: 'isccd store revalidate', untested: NEEDS_SERVICES }],
  'store copy-files': [{ line: 'isccd store copy-files', untested: 'needs a bucket' }],
  'store restore': [
    {
      line: 'isccd store restore urn:c2pa:8d3b9c5e-1f6a-4c7e-9d42-0b5a6f7c8d9e',
      untested: 'needs a deleted manifest',
    },
  ],
  'store audit': [
    { line: 'isccd store audit --from 2026-11-01' },
    { line: 'isccd store audit --action manifest-deleted --csv > deleted.csv' },
  ],
  'store account': [{ line: 'isccd store account list' }],
  'store account add': [
    { line: 'echo "$PASSWORD" | isccd store account add olga --password-stdin --role deleter' },
  ],
  'store account role': [{ line: 'isccd store account role olga admin' }],
  'store account unlock': [{ line: 'isccd store account unlock olga' }],
  'store account remove-factor': [
    { line: 'isccd store account remove-factor olga', untested: 'needs an account with a second factor' },
  ],
  'store account passwd': [{ line: 'echo "$PASSWORD" | isccd store account passwd olga --password-stdin' }],
  'store account disable': [{ line: 'isccd store account disable olga' }],
  'store account enable': [{ line: 'isccd store account enable olga' }],
  'store account list': [{ line: 'isccd store account list --json' }],
  'store token': [{ line: 'isccd store token list' }],
  'store token add': [
    { line: 'isccd store token add photo-agency --scope store:manifests read:manifests --days 365' },
  ],
  'store token list': [{ line: 'isccd store token list --json' }],
  'store token revoke': [{ line: 'isccd store token revoke 1' }],
  'store trust': [{ line: 'isccd store trust' }],
  'store trust list': [{ line: 'isccd store trust list --json' }],
  'store trust update': [
    { line: 'isccd store trust update C2PA-TRUST-LIST.pem' },
    {
      line: 'isccd store trust update https://raw.githubusercontent.com/c2pa-org/conformance-public/main/trust-list/C2PA-TSA-TRUST-LIST.pem',
      untested: 'needs the network',
    },
    { line: 'isccd store trust update authority.pem --kind identities' },
  ],
  'store trust reset': [{ line: 'isccd store trust reset signers' }],
  backup: [
    { line: 'isccd backup backups/today' },
    { line: 'isccd backup "backups/$(date +%F)" --json' },
    { line: 'isccd backup backups/checked && isccd verify backups/checked' },
  ],
  reindex: [
    { line: 'isccd reindex --from ./indexes --to ./copy' },
    {
      line: 'isccd reindex --from ./indexes --to postgresql://search@db.example/isccd',
      untested: REMOTE,
    },
  ],
  verify: [
    { line: 'isccd verify' },
    { line: 'isccd verify backups/today' },
    { line: 'isccd verify ~/.local/share/isccd --json', untested: 'needs data in the default folder' },
  ],
  check: [{ line: 'isccd check config' }, { line: 'isccd check health', untested: NEEDS_SERVICES }],
  'check config': [{ line: 'isccd check config' }, { line: 'isccd check config codes search --json' }],
  'check health': [
    { line: 'isccd check health', untested: NEEDS_SERVICES },
    { line: 'isccd check health codes --timeout 1', untested: NEEDS_SERVICES },
    { line: 'isccd check health --started', untested: NEEDS_SERVICES },
    { line: 'isccd check health https://codes.example', untested: REMOTE },
  ],
  completion: [
    { line: 'isccd completion bash > isccd.bash' },
    { line: 'source <(isccd completion bash)' },
    { line: 'isccd completion zsh > _isccd' },
    { line: 'isccd completion fish > isccd.fish' },
  ],
};
