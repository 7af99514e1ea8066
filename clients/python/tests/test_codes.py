from __future__ import annotations

import io
import os
import threading
from pathlib import Path

import httpx
import pytest
from conftest import PHOTO, address
from isccd_client import AsyncCodesClient, CodesClient, InvalidRequest, JobFailed, NotFound
from isccd_client.openapi.codes.models import InlineMetadata


def test_path_bytes_and_file_objects_get_the_same_code(codes: CodesClient) -> None:
    by_path = codes.create_iscc(PHOTO)
    assert by_path.iscc.startswith("ISCC:KE") and by_path.filename == PHOTO.name
    with PHOTO.open("rb") as file:
        by_file = codes.create_iscc(file)
    by_bytes = codes.create_iscc(PHOTO.read_bytes(), name=PHOTO.name)
    assert by_path.iscc == by_file.iscc == by_bytes.iscc
    assert by_file.filename == PHOTO.name


@pytest.mark.parametrize("name", ["Straße & 中文 100% + 🎉.jpg", "a" * 200 + ".jpg", "a=b#c?d.jpg"])
def test_names_of_any_characters(codes: CodesClient, name: str) -> None:
    assert codes.create_iscc(PHOTO, name=name).filename == name.replace("?", "")


def test_progress_reaches_the_total(codes: CodesClient) -> None:
    seen: list[tuple[int, int | None]] = []
    codes.create_iscc(PHOTO, progress=lambda sent, total: seen.append((sent, total)))
    size = PHOTO.stat().st_size
    assert seen[-1] == (size, size)
    assert [sent for sent, _ in seen] == sorted(sent for sent, _ in seen)


def test_a_pipe_is_sent_as_it_is_read(codes: CodesClient) -> None:
    data = os.urandom(3_000_000)
    reading, writing = os.pipe()

    def fill() -> None:
        with open(writing, "wb") as end:
            end.write(data)

    thread = threading.Thread(target=fill)
    thread.start()
    totals: set[int | None] = set()
    with open(reading, "rb") as pipe:
        result = codes.create_iscc(pipe, name="noise.bin", progress=lambda sent, total: totals.add(total))
    thread.join()
    assert totals == {None}
    assert result.filesize == len(data)
    assert result.datahash == codes.create_iscc(data, name="noise.bin").datahash


def test_the_rest_of_a_file_object(codes: CodesClient) -> None:
    file = io.BytesIO(b"skipped and sent, which is long enough for a text")
    file.seek(len(b"skipped "))
    assert codes.create_iscc(file, name="note.txt").filesize == len(file.getvalue()) - len(b"skipped ")


def test_options(codes: CodesClient) -> None:
    text = ("A text that is long enough to have more than one part. " * 40).encode()
    granular = codes.create_iscc(text, name="a.txt", granular=True)
    assert isinstance(granular.features, list) and granular.features[0].simprints
    damaged = codes.create_iscc(PHOTO.read_bytes()[:900], name="cut.jpg", fallback="sum")
    assert isinstance(damaged.note, str) and damaged.note.startswith("FILE_DAMAGED")
    typed = codes.upload(b"# Title", name="page", content_type="text/x-page")
    assert httpx.get(typed.content).headers["content-type"] == "text/x-page"


def test_jobs(codes: CodesClient) -> None:
    job = codes.start_iscc(PHOTO)
    assert job.id
    assert codes.wait(job, interval=0.05).iscc == codes.create_iscc(PHOTO).iscc
    broken = codes.start_iscc(PHOTO.read_bytes()[:900], name="cut.jpg")
    with pytest.raises(JobFailed) as failed:
        codes.wait(broken, interval=0.05)
    assert (failed.value.status, failed.value.code) == (422, "FILE_DAMAGED")
    codes.cancel_job(codes.start_iscc(PHOTO).id)


def test_media_and_metadata(codes: CodesClient, tmp_path: Path) -> None:
    media = codes.upload(PHOTO)
    assert codes.download(media.media_id, tmp_path / "copy.jpg") == PHOTO.stat().st_size
    buffer = io.BytesIO()
    codes.download(media.media_id, buffer)
    assert buffer.getvalue() == (tmp_path / "copy.jpg").read_bytes() == PHOTO.read_bytes()
    copy = codes.embed_metadata(media.media_id, InlineMetadata(name="A lake"))
    assert codes.extract_metadata(copy.media_id).name == "A lake"
    codes.delete(media.media_id)
    with pytest.raises(NotFound):
        codes.download(media.media_id, tmp_path / "gone.jpg")


def test_explain_and_simprints(codes: CodesClient) -> None:
    iscc = codes.create_iscc(PHOTO).iscc
    assert codes.explain(iscc).units
    assert codes.simprints("Some text that has enough words for a simprint.").content_text_v0


def test_errors_have_the_words_of_the_service(codes: CodesClient) -> None:
    with pytest.raises(InvalidRequest) as refused:
        codes.explain("ISCC:banana")
    assert refused.value.status == 400
    assert "ISCC" in str(refused.value) and refused.value.request_id
    with pytest.raises(FileNotFoundError):
        codes.create_iscc("no such file.jpg")
    with pytest.raises(TypeError, match="binary mode"):
        codes.create_iscc(io.StringIO("text"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="base_url"):
        CodesClient("127.0.0.1:8000")


@pytest.mark.anyio
async def test_asynchronously(codes: CodesClient, tmp_path: Path) -> None:
    expected = codes.create_iscc(PHOTO).iscc
    async with AsyncCodesClient(address("codes")) as client:
        seen: list[int] = []
        result = await client.create_iscc(PHOTO, progress=lambda sent, total: seen.append(sent))
        assert result.iscc == expected
        assert seen[-1] == PHOTO.stat().st_size
        assert (await client.wait(await client.start_iscc(PHOTO), interval=0.05)).iscc == expected
        assert await client.download(result.media_id, tmp_path / "copy.jpg") == PHOTO.stat().st_size
        await client.delete(result.media_id)
        with pytest.raises(NotFound):
            await client.get_iscc(result.media_id)
