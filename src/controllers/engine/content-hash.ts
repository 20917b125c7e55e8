/** A short name for content: the same content has the same name, in every process and every version. */

const alphabet = "bcdfghjklmnpqrstvwxz2456789";

/** FNV-1a over 64 bits in letters that spell no words. The prefix is the version of this way of hashing. */
export function hashOf(text: string): string {
  let sum = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(`lockstep/1\n${text}`, "utf8")) {
    sum = ((sum ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
  }
  const base = BigInt(alphabet.length);
  let letters = "";
  for (let rest = sum; letters.length < 10; rest /= base) letters += alphabet[Number(rest % base)];
  return letters;
}
