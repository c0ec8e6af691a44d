// Builds src/ into the package. The first line of the bundle names its sources by hash, which
// tests/studio/test_page.py compares: no Node is needed to see that the bundle is up to date.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const names = [...readdirSync("src").map((name) => `src/${name}`), "build.mjs", "package-lock.json"];
const hash = createHash("sha256");
for (const name of names.sort()) hash.update(name + "\n").update(readFileSync(name));
const made = await build({
  entryPoints: ["src/main.ts"], bundle: true, minify: true, write: false, format: "iife",
  target: "es2022", charset: "ascii", legalComments: "none",
});
const text = made.outputFiles[0].text.replaceAll("</script", "<\\/script");
writeFileSync("../src/chainrule/studio/static/page.js", `/* ${hash.digest("hex")} */\n${text}`);
