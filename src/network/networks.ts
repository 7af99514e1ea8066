/** The networks of ISCC hubs. Needs no addon. */
export const NETWORKS = ['mainnet', 'testnet'] as const;
export type NetworkName = (typeof NETWORKS)[number];

/** Realm of a network's ISCC-IDs, name of its index, and where its hub list is published. */
export const NETWORK_FACTS: Readonly<
  Record<NetworkName, { readonly realm: 0 | 1; readonly index: string; readonly list: string }>
> = {
  mainnet: {
    realm: 1,
    index: 'idp',
    list: 'https://raw.githubusercontent.com/iscc/iscc-hub/main/hubs/mainnet.yaml',
  },
  testnet: {
    realm: 0,
    index: 'idptest',
    list: 'https://raw.githubusercontent.com/iscc/iscc-hub/main/hubs/testnet.yaml',
  },
};
