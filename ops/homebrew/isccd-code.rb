# scripts/build-program.mjs fills in version and digests.
class IsccdCode < Formula
  desc "ISCC codes (ISO 24138) of files, without Node.js"
  homepage "https://github.com/isccd/isccd"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "@RELEASES@/isccd-code-@VERSION@-darwin-arm64.tar.gz"
      sha256 "@SHA256_DARWIN_ARM64@"
    end
    on_intel do
      url "@RELEASES@/isccd-code-@VERSION@-darwin-x64.tar.gz"
      sha256 "@SHA256_DARWIN_X64@"
    end
  end
  on_linux do
    on_arm do
      url "@RELEASES@/isccd-code-@VERSION@-linux-arm64.tar.gz"
      sha256 "@SHA256_LINUX_ARM64@"
    end
    on_intel do
      url "@RELEASES@/isccd-code-@VERSION@-linux-x64.tar.gz"
      sha256 "@SHA256_LINUX_X64@"
    end
  end

  def install
    bin.install "isccd-code"
  end

  test do
    (testpath/"hello.txt").write "Hello"
    assert_match "ISCC:", shell_output("#{bin}/isccd-code code #{testpath}/hello.txt")
  end
end
