// Builds src/ into the package: the page of a recorded run and the live one. The first line of a
// bundle names its sources by hash, which tests/studio/test_page.py compares: no Node is needed to
// see that the bundles are up to date.
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { build } from "esbuild";

const names = [...readdirSync("src").map((name) => `src/${name}`), "build.mjs", "package-lock.json"];
const hash = createHash("sha256");
for (const name of names.sort()) hash.update(name + "\n").update(readFileSync(name));
const digest = hash.digest("hex");
for (const [entry, bundle] of [["replay", "page"], ["studio", "studio"]]) {
  const made = await build({
    entryPoints: [`src/${entry}.ts`], bundle: true, minify: true, write: false, format: "iife",
    target: "es2022", charset: "ascii", legalComments: "none",
  });
  const text = made.outputFiles[0].text.replaceAll("</script", "<\\/script");
  writeFileSync(`../src/chainrule/studio/static/${bundle}.js`, `/* ${digest} */\n${text}`);
}
