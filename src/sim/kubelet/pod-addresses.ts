/** Allocates pod IPs: every node has 1,022 of its own and reuses those of deleted pods. */

const addressesPerNode = 1024;
/** 10.128.0.0, the start of the simulated pod network. */
const networkStart = 0x0a_80_00_00;

export class PodAddresses {
  readonly #used = new Map<number, Set<number>>();
  readonly #cursors = new Map<number, number>();

  /** The next free address of the node; addresses are reused as late as possible. */
  allocate(nodeNumber: number): string {
    const used = this.#used.get(nodeNumber) ?? new Set<number>();
    this.#used.set(nodeNumber, used);
    let offset = this.#cursors.get(nodeNumber) ?? 0;
    do offset = (offset % (addressesPerNode - 2)) + 1;
    while (used.has(offset) && used.size < addressesPerNode - 2);
    this.#cursors.set(nodeNumber, offset);
    used.add(offset);
    return addressText(networkStart + nodeNumber * addressesPerNode + offset);
  }

  /** Reserves the address that a pod already had when this process started. */
  claim(nodeNumber: number, address: string): string {
    const used = this.#used.get(nodeNumber) ?? new Set<number>();
    this.#used.set(nodeNumber, used.add(offsetOf(nodeNumber, address)));
    return address;
  }

  release(nodeNumber: number, address: string): void {
    this.#used.get(nodeNumber)?.delete(offsetOf(nodeNumber, address));
  }
}

function offsetOf(nodeNumber: number, address: string): number {
  const value = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
  return value - networkStart - nodeNumber * addressesPerNode;
}

function addressText(value: number): string {
  return [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
}
